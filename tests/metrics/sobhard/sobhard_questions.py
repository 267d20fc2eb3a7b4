"""Small hand-made questions of every family that the tests of this folder share; references written by hand."""

import copy
import json

TAGS = {"sqlinsert": "sql"}


def fence(body, tag, around="```"):
    """A body in one fenced block."""
    return f"{around}{tag}\n{body}\n{around}"


def make_row(family, target, reference, task_meta=None, checks=None, difficulty="easy", **meta):
    """A gold-shaped dataset row."""
    return {
        "instruction": "Выполни.\n\nЗадача:\n{task}\n\nВходные данные:\n{input_data}\n\nФормат ответа:\n{format}\n\n"
        "Инструкция:\n{question}",
        "inputs": {"task": "т", "input_data": "д", "format": "ф", "question": "в"},
        "outputs": "",
        "meta": {
            "id": 1,
            "base_id": f"{family}-{target}",
            "fence_tag": TAGS.get(target, target),
            "reference": reference,
            "reference_sha256": "",
            "task_meta": json.dumps(task_meta or {}, ensure_ascii=False),
            "checks": json.dumps(checks or {}, ensure_ascii=False),
            "dialogue_id": None,
            "turn_index": None,
            "n_turns": None,
            "categories": {
                "family": family,
                "difficulty": difficulty,
                "language": "ru",
                "source_format": "json",
                "target_format": target,
                "length_tier": "short",
                "prompt_style": "spec",
                "origin": f"own/{family}",
            },
            **meta,
        },
    }


def changed(row, **meta):
    """A copy of a row with other ``outputs`` or fields of ``meta``; task_meta and checks may be objects."""
    other = copy.deepcopy(row)
    for name, value in meta.items():
        holder = other if name == "outputs" else other["meta"]
        holder[name] = json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value
    return other


def with_category(row, **categories):
    """A copy of a row with other categories."""
    other = copy.deepcopy(row)
    other["meta"]["categories"].update(categories)
    return other


def answer(row, body=None):
    """The row's reference, or another body, in the right fence."""
    return fence(row["meta"]["reference"] if body is None else body, row["meta"]["fence_tag"])


SHOP = {"name": "Лавка", "port": 8080, "ratio": 0.5, "open": True, "owner": None, "tags": ["чай", "мёд"]}
SHOP_JSON = '{"name": "Лавка", "port": 8080, "ratio": 0.5, "open": true, "owner": null, "tags": ["чай", "мёд"]}'

GOODS = [
    {"sku": "A-1", "qty": 5, "price": "10"},
    {"sku": "B-2", "qty": 1, "price": "7"},
    {"sku": "C-3", "qty": 9, "price": "007"},
]

TEMPLATE = "№${id}: ${who.name}, ${ok}; ${none}."
PEOPLE = [
    {"id": 1, "who": {"name": "Аня"}, "ok": True},
    {"id": 2, "who": {"name": "Ян"}, "ok": None},
]

OLD = {"host": "a", "port": 80, "flags": ["x", "y"], "tls": False}
NEW = {"host": "b", "port": 80, "flags": ["x", "z", "w"], "log": {"level": "info"}}

QUESTIONS = {
    "convert_json": make_row(
        "convert", "json", SHOP_JSON, checks={"source": SHOP, "gates": {"convert.lossless_vs_source": True}}
    ),
    "convert_yaml": make_row(
        "convert",
        "yaml",
        "name: Лавка\nport: 8080\nratio: 0.5\nopen: true\nowner: null\ntags:\n- чай\n- мёд",
        checks={"source": SHOP, "gates": {"convert.lossless_vs_source": True}},
        difficulty="medium",
    ),
    "convert_properties": make_row(
        "convert",
        "properties",
        "app.name = Лавка\napp.port = 8080\npath = C:\\data",
        checks={
            "source": {"app.name": "Лавка", "app.port": "8080", "path": "C:\\data"},
            "gates": {"convert.lossless_vs_source": True},
        },
        difficulty="hard",
    ),
    "convert_sql": make_row(
        "convert",
        "sqlinsert",
        "INSERT INTO records (sku, note) VALUES ('A-1', 'it''s');\nINSERT INTO records (sku, note) VALUES ('B-2', '');",
        checks={
            "source": [{"sku": "A-1", "note": "it's"}, {"sku": "B-2", "note": ""}],
            "gates": {"convert.lossless_vs_source": True},
        },
    ),
    "extract_json": make_row(
        "extract",
        "json",
        '{"shop.name": "Лавка", "shop.tags[1]": "мёд", "shop.fax": null}',
        {"paths": ["shop.name", "shop.tags[1]", "shop.fax"], "absent": ["shop.fax"]},
        {"source": {"shop": SHOP}},
    ),
    "repair_json": make_row(
        "repair",
        "json",
        '{"user": {"name": "Ольга"}, "log": [{"m": "старт"}, {}], "n": 0}',
        {"program": [{"rule": "drop_empty", "params": {}}]},
        {
            "source": {"user": {"name": "Ольга", "fax": ""}, "log": [{"m": "старт"}, {}], "n": 0, "x": []},
            "derived": {"user": {"name": "Ольга"}, "log": [{"m": "старт"}, {}], "n": 0},
            "gates": {"repair.data_intact": True},
        },
    ),
    "transform_jsonl": make_row(
        "transform",
        "jsonl",
        '{"sku": "A-1", "qty": 5, "price": 10, "n": 1}\n{"sku": "C-3", "qty": 9, "price": 7, "n": 2}',
        {
            "program": [
                {"rule": "filter_records", "params": {"field": "qty", "op": "gt", "value": 1}},
                {"rule": "numbers_from_strings", "params": {}},
                {"rule": "renumber", "params": {"field": "n"}},
            ]
        },
        {"source": GOODS},
    ),
    "transform_yaml": make_row(
        "transform",
        "yaml",
        "- sku: B-2\n  qty: 1\n- sku: A-1\n  qty: 5\n- sku: C-3\n  qty: 9",
        {
            "program": [
                {"rule": "sort_records", "params": {"field": "qty", "numeric": True}},
                {"rule": "project_fields", "params": {"fields": ["sku", "qty"]}},
            ]
        },
        {"source": GOODS},
    ),
    "schema_json": make_row(
        "schema_gen",
        "json",
        json.dumps(
            {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "tags": {
                        "type": "array",
                        "items": {"type": "string", "enum": ["чай"]},
                        "minItems": 2,
                        "maxItems": 2,
                    },
                },
                "required": ["name", "tags"],
            },
            ensure_ascii=False,
        ),
        {"schema_kind": "full"},
        {"source": {"name": "Лавка", "tags": ["чай", "чай"]}, "gates": {"schema.validates_source": True}},
    ),
    "patch_toml": make_row(
        "patch",
        "toml",
        'title = "новый"\nports = [80, 443]\n\n[db]\nhost = "h"',
        {
            "ops": [
                {"op": "set", "path": "title", "value": "новый"},
                {"op": "insert", "path": "ports[1]", "value": 443},
                {"op": "delete", "path": "db.user"},
            ]
        },
        {"source": {"title": "старый", "ports": [80], "db": {"host": "h", "user": "u"}}},
        difficulty="hard",
    ),
    "diff_yaml": make_row(
        "diff",
        "yaml",
        "added:\n  flags[2]: w\n  log:\n    level: info\nremoved:\n  tls: false\nchanged:\n"
        "  flags[1]:\n    было: 'y'\n    стало: z\n  host:\n    было: a\n    стало: b",
        checks={"source": OLD, "source_b": NEW},
    ),
    "applydiff_json": make_row(
        "apply_diff",
        "json",
        '{"host": "b", "port": 80, "flags": ["x", "z", "w"], "log": {"level": "info"}}',
        checks={
            "source": OLD,
            "source_b": {
                "added": {"flags[2]": "w", "log": {"level": "info"}},
                "removed": {"tls": False},
                "changed": {"flags[1]": {"было": "y", "стало": "z"}, "host": {"было": "a", "стало": "b"}},
            },
        },
    ),
    "merge_sql": make_row(
        "merge",
        "sqlinsert",
        "INSERT INTO records (emp, room, dept) VALUES ('007', NULL, 'MI6');\n"
        "INSERT INTO records (emp, room, dept) VALUES ('100', '3', 'HR');",
        {"join": {"key": "emp", "winner": "B", "unmatched_a": "drop", "unmatched_b": "drop", "order": "A"}},
        {
            "source": [{"emp": "007", "room": "12"}, {"emp": "42", "room": "9"}, {"emp": "100", "room": "3"}],
            "source_b": [{"emp": "100", "dept": "HR"}, {"emp": "007", "dept": "MI6", "room": None}],
        },
    ),
    "template_json": make_row(
        "template",
        "json",
        '["№1: Аня, true; .", "№2: Ян, null; ."]',
        {"has_escape": False},
        {"source": PEOPLE, "source_b": TEMPLATE},
    ),
    "session_yaml": make_row(
        "session",
        "yaml",
        "port: 443\nhost: h",
        {
            "turn_family": "patch",
            "session": {"dialogue_id": 7, "turn_index": 2, "n_turns": 2},
            "ops": [{"op": "set", "path": "port", "value": 443}],
        },
        {"source": {"port": 80, "host": "h"}, "prev_state": {"port": 80, "host": "h"}},
        difficulty="medium",
        dialogue_id=7,
        turn_index=2,
        n_turns=2,
    ),
}
