"""The Russian of the questions: work, packaging, operations. A question's words and its checks come from one recipe."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from metrics.sobhard.operations import NEW, OLD
from metrics.sobhard.schemas import MINIMAL
from metrics.sobhard.targets import TARGETS

__all__ = [
    "APPLY_DIFF",
    "DIFF_FORM",
    "EARLIER_STATE",
    "LATER_STATE",
    "NOTATION_NAMES",
    "REPAIR",
    "WORK",
    "format_text",
    "join_text",
    "ops_text",
    "paths_text",
    "program_text",
    "schema_text",
    "template_text",
]

NOTATION_NAMES: Final[Mapping[str, str]] = {
    "csv": "CSV",
    "fwf": "таблица фиксированной ширины",
    "html": "таблица HTML",
    "ini": "INI",
    "json": "JSON",
    "jsonc": "JSONC",
    "jsonl": "JSONL",
    "logline": "журнал",
    "mdtable": "таблица Markdown",
    "properties": "properties",
    "scsv": "CSV с точкой с запятой",
    "sqlinsert": "SQL INSERT",
    "toml": "TOML",
    "tsv": "TSV",
    "xml": "XML",
    "yaml": "YAML",
}

WORK: Final[Mapping[str, str]] = {
    "convert": "Перевести документ из одной нотации в другую без изменения данных.",
    "extract": "Выбрать из документа значения по путям.",
    "repair": "Исправить синтаксически испорченный документ, применить правила и записать его в целевой нотации.",
    "transform": "Переработать документ по правилам и записать его в целевой нотации.",
    "schema_gen": "Составить схему JSON Schema по документу.",
    "patch": "Внести правки в документ и записать его в целевой нотации.",
    "diff": "Сравнить две версии документа и записать объект изменений.",
    "apply_diff": "Применить объект изменений к документу.",
    "merge": "Соединить два списка записей по ключу.",
    "template": "Подставить записи в шаблон строки.",
}

LATER_STATE: Final = "Документ, который получился на предыдущем шаге этого разговора."
EARLIER_STATE: Final = "Документ этого разговора, каким он был до предыдущего шага."
REPAIR: Final = (
    "Документ испорчен: нарушен синтаксис, но все имена, ключи и значения на месте. Исправь его, читая так, как "
    "сказано в задаче."
)

_PATHS: Final = "Путь — имена через точку, индексы списков в квадратных скобках, считая с нуля."

_TARGET_RULES: Final[Mapping[str, str]] = {
    "json": "Документ — одно значение JSON: без комментариев и без запятой после последнего элемента.",
    "jsonl": "Каждый элемент списка — одно значение JSON на своей строке: без запятых между строками и общих скобок.",
    "yaml": "Один документ YAML 1.1 без тегов; строка, которую без кавычек прочли бы как число, дату, логическое "
    "значение или null, берётся в кавычки.",
    "toml": "Документ TOML 1.0.",
    "properties": "Каждая пара на своей строке: ключ = значение. Значения — строки, escape-последовательностей нет.",
    "sqlinsert": "Каждая запись на своей строке, с точкой с запятой в конце: INSERT INTO records (колонки) VALUES "
    "(значения); — колонки во всех строках одни и те же и в одном порядке, значения — строки в одинарных кавычках, "
    "кавычка внутри удваивается, вместо null пишется NULL.",
}
_PACKAGING: Final = (
    "Ответ — ровно один блок кода с меткой {tag}, вне блока нет ничего. Внутри блока весь документ целиком, нотация — "
    "{name}. {rules}\n"
    "При проверке сравниваются структура и типы, числа — с относительной погрешностью 1e-6, строки — посимвольно. "
    "Порядок элементов списка важен, порядок ключей — только если о нём сказано в инструкции. Значения, которые "
    "инструкция не меняет, переписываются без изменений: 3 и 3.0 различаются."
)


def format_text(target: str) -> str:
    """Packaging and comparison rules of a target notation."""
    return _PACKAGING.format(tag=TARGETS[target].tag, name=NOTATION_NAMES[target], rules=_TARGET_RULES[target])


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"«{name}»" for name in names)


def _numbered(lines: Sequence[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


_FILTERS: Final[Mapping[str, str]] = {"gt": "больше", "lt": "меньше", "eq": "равно", "ne": "не равно"}

_RULES: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "sort_keys": lambda p: "Расположи ключи всех объектов, на любой глубине, по возрастанию кодов символов.",
    "flatten": lambda p: (
        "Сверни документ в один плоский объект: ключ — путь к значению (имена через точку, индексы в "
        "квадратных скобках с нуля), вложенных объектов и списков не остаётся."
    ),
    "unflatten": lambda p: (
        "Разверни плоский объект: ключи — пути (имена через точку, индексы в квадратных скобках с "
        "нуля), по ним восстанови вложенные объекты и списки."
    ),
    "camel_keys": lambda p: (
        "Переименуй ключи всех объектов из snake_case в camelCase: знаки подчёркивания убери, букву "
        "после каждого сделай заглавной, остальное оставь."
    ),
    "filter_records": lambda p: (
        f"Оставь только записи, у которых поле «{p['field']}» {_FILTERS[p['op']]} {_json(p['value'])}."
    ),
    "sort_records": lambda p: (
        f"Расположи записи по возрастанию поля «{p['field']}», сравнивая "
        + ("его как число" if p["numeric"] else "его как строку по кодам символов")
        + "; при равенстве порядок прежний."
    ),
    "group_records": lambda p: (
        f"Сгруппируй записи по полю «{p['field']}»: объект, ключи — значения поля по возрастанию "
        "кодов символов, под каждым — список записей целиком в прежнем порядке."
    ),
    "project_fields": lambda p: f"Оставь в каждой записи только поля {_listed(p['fields'])}.",
    "numbers_from_strings": lambda p: (
        "Замени каждую строку из одних десятичных цифр, возможно с минусом впереди, целым "
        "числом; ведущие нули отбрасываются."
    ),
    "drop_empty": lambda p: (
        "Удали из объектов, на любой глубине, пары с пустой строкой, пустым списком или пустым "
        "объектом; если от этого опустел объект, удали и его пару. Элементы списков и null остаются."
    ),
    "dedup_records": lambda p: f"Из записей с одинаковым значением поля «{p['field']}» оставь первую.",
    "renumber": lambda p: f"Запиши в поле «{p['field']}» каждой записи её номер по порядку: целое число, начиная с 1.",
    "count_by": lambda p: (
        f"Посчитай записи по полю «{p['field']}»: объект, ключи — значения поля по возрастанию кодов "
        "символов, значения — целые числа."
    ),
    "top_n_per_group": lambda p: f"Из записей с одним значением поля «{p['field']}» оставь первые {p['n']}.",
    "pivot_levels": lambda p: (
        "Поменяй местами два уровня объекта: внутренние ключи становятся внешними, ключи обоих "
        "уровней — по возрастанию кодов символов."
    ),
    "melt": lambda p: (
        f"Разверни записи: вместо каждой — по записи на каждое из полей {_listed(p['fields'])}, в этом "
        "порядке; в ней остальные поля, затем «metric» с именем поля и «value» с его значением."
    ),
}


def program_text(program: Sequence[Mapping[str, Any]], lead: str = "Примени правила по порядку") -> str:
    """Steps of a program, numbered."""
    return f"{lead}:\n" + _numbered([_RULES[step["rule"]](step.get("params", {})) for step in program])


_OPS: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "set": lambda op: f"По пути «{op['path']}» запиши {_json(op['value'])}.",
    "delete": lambda op: f"Удали то, что стоит по пути «{op['path']}».",
    "insert": lambda op: f"Вставь в список на место «{op['path']}» значение {_json(op['value'])}, сдвинув следующие.",
}


def ops_text(ops: Sequence[Mapping[str, Any]]) -> str:
    """Operations of a patch, numbered; each is applied to the result of the one before."""
    lead = f"Внеси правки по порядку, каждую — в результат предыдущей. {_PATHS} Значения в правках записаны как в JSON."
    return f"{lead}\n" + _numbered([_OPS[op["op"]](op) for op in ops])


def paths_text(paths: Sequence[str]) -> str:
    """Paths to extract."""
    return (
        f"Верни один объект: ключи — перечисленные пути дословно, значения — то, что стоит по ним в документе, или "
        f"null, если там ничего нет. {_PATHS}\n" + "\n".join(f"- {path}" for path in paths)
    )


def join_text(join: Mapping[str, Any]) -> str:
    """The rules of a merge."""
    first, second = (join["order"], "B" if join["order"] == "A" else "A")
    fate = {"A": join["unmatched_a"] == "keep", "B": join["unmatched_b"] == "append"}
    without_pair = "остаются на своих местах" if fate[first] else "отбрасываются"
    rest = f"добавляются в конец в порядке {second}" if fate[second] else "отбрасываются"
    return (
        f"Соедини записи с одинаковым полем «{join['key']}»; если пар у записи несколько, берётся первая. Порядок — "
        f"как в {first}; записи {first} без пары {without_pair}, записи {second} без пары {rest}. В соединённой записи "
        f"сначала поля A, затем новые поля B; если имя есть в обеих, берётся значение из {join['winner']}."
    )


def template_text() -> str:
    """How a template is filled."""
    return (
        "Верни список строк, по одной на запись, в порядке записей. Вместо ${путь} подставляется значение из записи: "
        "строки и числа — как есть, true, false и null — этими словами; если пути в записи нет, подставляется пустая "
        f"строка; $${{ означает сами символы ${{. {_PATHS}"
    )


DIFF_FORM: Final = (
    "Верни объект с ключами added, removed и changed в этом порядке, все три всегда на месте; значение каждого — "
    "объект, ключи которого — пути. Объекты сравниваются по ключам, списки — по индексам, на любой глубине. В added "
    "под путём стоит значение, которое есть только во второй версии, в removed — только в первой; такое значение "
    "берётся целиком. В changed под путём значения, которое стало другим или другого рода, стоит объект с ключами "
    f"«{OLD}» и «{NEW}». Пути в каждом разделе — по возрастанию кодов символов. {_PATHS}"
)

APPLY_DIFF: Final = (
    "Примени объект изменений к документу: сначала удали всё из removed (индексы списков — от больших к меньшим), "
    "затем запиши новые значения из changed, затем добавь всё из added (индексы — от меньших к большим, со вставкой в "
    f"список). {_PATHS}"
)

_SCHEMA_KINDS: Final[Mapping[str, str]] = {
    MINIMAL: "items — схема первого элемента",
    "union": "если все элементы — объекты, items — схема объекта со всеми их ключами (схема ключа — по первому "
    "элементу, где он есть), а в required — ключи, которые есть у всех; иначе items — схема первого элемента",
    "bounds": "items — схема первого элемента; minItems и maxItems равны длине списка",
    "enum": "items — схема первого элемента, а если все элементы — строки, в ней ещё enum — их разные значения по "
    "возрастанию кодов символов",
    "oneOf": "если схемы элементов одинаковы, items — эта схема, иначе items — oneOf из разных схем, упорядоченных по "
    "записи в компактном JSON с ключами по возрастанию",
    "full": "если все элементы — объекты, items — схема объекта со всеми их ключами (схема ключа — по первому "
    "элементу, где он есть), а в required — ключи, которые есть у всех; иначе items — схема первого элемента, а если "
    "все элементы — строки, в ней ещё enum — их разные значения по возрастанию кодов символов; minItems и maxItems "
    "равны длине списка",
}


def schema_text(kind: str) -> str:
    """How a schema is derived."""
    return (
        "Составь схему JSON Schema. У каждого значения — type (null, boolean, integer для целых, number для "
        "вещественных, string, array, object). У объекта — properties со схемами всех ключей и required — все ключи по "
        f"возрастанию кодов символов. У списка, если он не пуст: {_SCHEMA_KINDS[kind]}. Других ключевых слов нет."
    )
