"""The words in CSV files, in the dashboard's languages: headings of columns, and yes and no.

They count in any case, with or without accents and spaces.
"""

import re
from collections.abc import Iterable

from embed.domain.folding import fold

# The surest first: where a file has both, the owner is the wallet, and the account that of a token.
_HEADINGS = {
    "address": """
        owner owneraddress holder holderaddress المالك مالك Eigentümer Inhaber Besitzer propietario
        titular propriétaire détenteur 所有者 保有者 proprietário владелец держатель sahip sahibi
        持有者 wallet walletaddress المحفظة محفظة Walletadresse billetera cartera monedero
        portefeuille ウォレット ウォレットアドレス carteira кошелёк адрескошелька cüzdan
        cüzdanadresi 钱包 钱包地址 address العنوان عنوان Adresse dirección アドレス endereço адрес
        adres 地址 account accountaddress publickey الحساب Konto cuenta compte 口座 conta счёт hesap
        账户
        """,
    "alias": """
        alias name label الاسم اسم Bezeichnung nombre nom libellé 名前 ラベル nome apelido имя
        название ad isim 名称 名字 别名
        """,
    "tags": """
        tags tag groups group الوسوم الوسم وسوم وسم المجموعة Schlagwörter Schlagwort Gruppen Gruppe
        etiquetas etiqueta grupos grupo étiquettes étiquette groupes groupe タグ グループ marcadores
        marcador теги тег метки метка группы группа etiketler etiket gruplar grup 标签 分组
        """,
    "hidden": """
        hidden مخفية مخفي verborgen versteckt ausgeblendet unsichtbar oculta oculto masqué masquée
        caché cachée 非表示 escondida escondido скрыт скрыта скрыто скрытый gizli 隐藏 已隐藏
        """,
    "balance": """
        uiamount balance quantity amount الرصيد رصيد الكمية Guthaben Kontostand Saldo Bestand Menge
        Betrag cantidad solde quantité montant 残高 数量 quantidade баланс остаток количество сумма
        bakiye miktar 余额
        """,
}
# True and false are as spreadsheets write them in their language; one x is Cyrillic.
_YES_NO = {
    True: """
        yes y true 1 x \u0445 نعم صحيح ja wahr sí verdadero oui vrai はい sim verdadeiro да истина
        evet doğru 是
        """,
    False: """
        no n false 0 لا خطأ nein falsch non faux いいえ não falso нет ложь hayır yanlış 否
        """,  # noqa: RUF001 -- Turkish
}
_NO_PART_OF_WORD = re.compile(r"\s*\(.*\)|[\W_]+")


def _fold_heading(heading: str) -> str:
    return _NO_PART_OF_WORD.sub("", fold(heading))


_FOLDED = {role: [_fold_heading(word) for word in _HEADINGS[role].split()] for role in _HEADINGS}
_ANSWERS = {"": False} | {
    fold(word): answer for answer, words in _YES_NO.items() for word in words.split()
}


def find_role(heading: str) -> tuple[str, int]:
    """Return what a heading names, and how sure that is: 0 is the surest; empty if unknown."""
    word = _fold_heading(heading)
    for role, words in _FOLDED.items():
        if word in words:
            return role, words.index(word)
    return "", 0


def count_known(cells: Iterable[str]) -> int:
    """Count the cells that could be headings."""
    return sum(find_role(cell)[0] != "" for cell in cells)


def find_yes_or_no(cell: str) -> bool | None:
    return _ANSWERS.get(fold(cell))
