-- For wrk: compares every answer with the expected bytes and status, and prints the counts as JSON.

local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  wrong = 0
  local file = assert(io.open(args[1], "rb"))
  expected = file:read("*a")
  file:close()
  expected_status = tonumber(args[2])
end

function response(status, headers, body)
  if status ~= expected_status or body ~= expected then
    wrong = wrong + 1
  end
end

function done(summary, latency, requests)
  local errors = summary.errors
  local bad = errors.connect + errors.read + errors.write + errors.timeout
  for _, thread in ipairs(threads) do
    bad = bad + thread:get("wrong")
  end
  io.write(string.format(
    '\n{"answers": %d, "seconds": %.6f, "bad": %d}\n',
    summary.requests, summary.duration / 1e6, bad
  ))
end
