// Rows that are selected for an action on many, and the box for all of them.

/**
 * Show in the box for all whether all, some or none of the boxes are ticked; return how many are.
 * @param {HTMLInputElement} all
 * @param {HTMLInputElement[]} boxes
 */
export function showTicked(all, boxes) {
  const count = boxes.filter((box) => box.checked).length;
  all.checked = count > 0 && count === boxes.length;
  all.indeterminate = count > 0 && count < boxes.length;
  return count;
}
