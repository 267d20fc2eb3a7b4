"use strict";
// The table of answers and what opens behind a row. Texts are untrusted: they reach the page as text nodes alone.

const PAGE = 50;
const LONG = 50000; // characters of a text that are shown before one asks for more
const byId = name => document.getElementById(name);

// ---- Unpacking

async function unpack(element) {
  const letters = atob(element.textContent.trim());
  const bytes = Uint8Array.from(letters, letter => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

// Packed lists that are unpacked when one of their values is wanted.
class Packed {
  constructor(kind, starts) {
    this.elements = [...document.querySelectorAll(`script.${kind}`)];
    this.starts = starts;
    this.lists = [];
  }

  chunkOf(place) {
    let chunk = 0;
    while (chunk + 1 < this.starts.length && this.starts[chunk + 1] <= place) chunk += 1;
    return chunk;
  }

  async get(place) {
    const chunk = this.chunkOf(place);
    this.lists[chunk] ??= unpack(this.elements[chunk]);
    return (await this.lists[chunk])[place - this.starts[chunk]];
  }
}

// ---- Texts

// The rule of report/printable.py: what has no look of its own is spelled out.
const HIDDEN = /(?![\n\t\uFE0E\uFE0F])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const HIDDEN_RUN = new RegExp(`(?:${HIDDEN.source})+`, "gu");
const spelled = sign => `<U+${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}>`;
const marked = text => text.replace(HIDDEN, spelled);

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined && child !== ""));
  return element;
}

// A text with its hidden characters and the words that were searched for marked; one element a run of them, for there
// may be hundreds of thousands.
function textNodes(text) {
  const nodes = document.createDocumentFragment();
  let at = 0;
  for (const [start, end] of query ? occurrences(text, query) : []) {
    nodes.append(withSigns(text.slice(at, start)), make("mark", {}, withSigns(text.slice(start, end))));
    at = end;
  }
  nodes.append(withSigns(text.slice(at)));
  return nodes;
}

function withSigns(text) {
  const nodes = document.createDocumentFragment();
  let at = 0;
  for (const signs of text.matchAll(HIDDEN_RUN)) {
    nodes.append(text.slice(at, signs.index), make("span", { class: "sign" }, marked(signs[0])));
    at = signs.index + signs[0].length;
  }
  nodes.append(text.slice(at));
  return nodes;
}

function occurrences(text, wanted) {
  const lower = text.toLowerCase();
  if (lower.length !== text.length) return []; // a letter that is longer in lower case moves all behind it
  const found = [];
  for (let at = lower.indexOf(wanted); at >= 0 && found.length < 1000; at = lower.indexOf(wanted, at + wanted.length)) {
    found.push([at, at + wanted.length]);
  }
  return found;
}

// A part of a text, and a button for the next part: a browser lays out a megabyte without a blank for minutes.
function textBlock(text, label, from = 0) {
  const block = make("pre", { class: "text", dir: "auto", tabindex: "0", "aria-label": label });
  if (!text) block.append(make("span", { class: "quiet" }, "(empty)"));
  const to = endOfPart(text, from);
  block.append(textNodes(text.slice(from, to)));
  if (to === text.length) return block;
  const more = make("button", { type: "button" }, `Show more: ${spaced(to)} of ${spaced(text.length)} characters are shown`);
  more.addEventListener("click", () => {
    const next = textBlock(text, label, to);
    more.replaceWith(next);
    (next.matches("pre") ? next : next.firstChild).focus();
  });
  return make("div", { class: "parts" }, block, more);
}

// Behind LONG characters, or behind the pair of halves that stands there.
function endOfPart(text, from) {
  const to = from + LONG;
  if (to >= text.length) return text.length;
  return /[\uD800-\uDBFF]/.test(text[to - 1]) ? to + 1 : to;
}

const spaced = number => String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
const folded = (title, ...children) => make("details", {}, make("summary", {}, title), ...children);
const headed = (title, ...children) => make("section", {}, make("h3", {}, title), ...children);

// ---- State

let data; // the index: rows, tasks, runs, categories
let answers, prompts; // Packed
let shown = []; // rows that the filters let through, in order
let page = 0;
let current = 0; // place in `shown` of the row that has or had the focus
let showing = 0; // place in `shown` of the answer that is or was open
let query = ""; // what is searched for, in lower case
let hits = null; // rows that have it; null without a search
let order = { by: "", down: false };
const WORDS = {
  right: "passed", wrong: "not passed", failed: "request failed", not_asked: "not asked", unscored: "not scored", unjudged: "unjudged",
  blocked: "blocked", answered: "no verdict", empty: "empty", truncated: "truncated",
  unclosed_reasoning: "unclosed reasoning", with_reasoning: "with reasoning",
};
// A row's verdict is right or wrong; where there is no verdict it is how the request or the scoring ended.
const isVerdict = row => row.verdict === "right" || row.verdict === "wrong";

// ---- Filters

const FILTERS = {
  "by-run": (row, value) => row.run === Number(value),
  "by-task": (row, value) => row.task === Number(value),
  "by-verdict": (row, value) => value === "none" ? !isVerdict(row) : row.verdict === value,
  "by-category": (row, value) => {
    const [place, label] = JSON.parse(value);
    return place < 0 ? row.checks.includes(label) : row.labels[place] === label;
  },
  "by-check": (row, value) => row.failed.includes(value),
  "by-code": (row, value) => row.codes.includes(value),
  "by-look": (row, value) => row.looks.includes(value),
  "by-against": (row, value) => row.against === value,
};

function counted(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

function option(value, text, count) {
  return make("option", { value }, count === undefined ? text : `${marked(text)} (${count})`);
}

function fill(name, all, options) {
  byId(name).replaceChildren(option("", all), ...options);
}

function fillFilters() {
  const rows = data.rows;
  fill("by-run", "all", data.runs.map((name, place) => option(place, name, rows.filter(row => row.run === place).length)));
  fill("by-task", "all", data.tasks.map((name, place) => option(place, name, rows.filter(row => row.task === place).length)));
  fill("by-verdict", "all", [
    option("wrong", "not passed", rows.filter(row => row.verdict === "wrong").length),
    option("right", "passed", rows.filter(row => row.verdict === "right").length),
    option("none", "no verdict", rows.filter(row => !isVerdict(row)).length),
    ...counted(rows.filter(row => !isVerdict(row)).map(row => row.verdict)).map(([kind, count]) => option(kind, `– ${WORDS[kind] ?? kind}`, count)),
  ]);
  const groups = data.categories.map((name, place) => make("optgroup", { label: marked(name.replaceAll("_", " ")) },
    ...counted(rows.map(row => row.labels[place])).filter(([label]) => label)
      .map(([label, count]) => option(JSON.stringify([place, label]), label, count))));
  groups.push(make("optgroup", { label: "requirement" }, ...counted(rows.flatMap(row => row.checks))
    .map(([label, count]) => option(JSON.stringify([-1, label]), label, count))));
  fill("by-category", "all", groups);
  for (const [name, field] of [["by-check", "failed"], ["by-code", "codes"], ["by-look", "looks"]]) {
    fill(name, "any", counted(rows.flatMap(row => row[field])).map(([value, count]) => option(value, WORDS[field === "looks" ? value : ""] ?? value, count)));
  }
  fill("by-against", "any", counted(rows.flatMap(row => row.against ?? [])).map(([kind, count]) => option(kind, kind, count)));
  hide("runs", data.runs.length < 2);
  hide("tasks", data.tasks.length < 2);
  hide("against", !rows.some(row => row.against));
}

function hide(name, whether) {
  for (const element of document.querySelectorAll(`[data-hide=${name}]`)) element.hidden = whether;
}

function apply() {
  const wanted = Object.entries(FILTERS).map(([name, holds]) => [byId(name).value, holds]).filter(([value]) => value !== "");
  shown = data.rows.filter(row => (!hits || hits.has(row.place)) && wanted.every(([value, holds]) => holds(row, value)));
  if (order.by) shown.sort((a, b) => compare(a[order.by], b[order.by]) * (order.down ? -1 : 1));
  page = current = 0;
  showRows();
}

const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

function sortBy(name) {
  order = { by: name, down: order.by === name && !order.down };
  for (const head of document.querySelectorAll("[data-sort]")) {
    head.setAttribute("aria-sort", head.dataset.sort !== name ? "none" : order.down ? "descending" : "ascending");
  }
  apply();
}

// Sets some filters, clears the others, and goes to the table.
function only(values) {
  for (const name of Object.keys(FILTERS)) byId(name).value = values[name] ?? "";
  apply();
  byId("samples").scrollIntoView();
  focusRow(0);
}

// ---- Search

let searching = 0;

async function search() {
  const wanted = byId("search").value.trim().toLowerCase();
  const mine = searching += 1;
  if (!wanted) {
    query = "";
    hits = null;
    apply();
    return;
  }
  const found = new Set();
  for (const row of data.rows) {
    const has = await searchText(row);
    if (mine !== searching) return;
    if (has.includes(wanted)) found.add(row.place);
    if (row.place % 200 === 199) {
      byId("count").textContent = `Searching… ${row.place + 1} of ${data.rows.length}`;
      await new Promise(done => setTimeout(done));
    }
    if (mine !== searching) return;
  }
  query = wanted;
  hits = found;
  apply();
}

// All that opens behind a row, in lower case; kept, for the next letter that is typed.
async function searchText(row) {
  const [one, turns] = await opened(row);
  row.own ??= [
    row.name, one.text, one.reasoning, one.rest, one.error, ...Object.values(one.labels),
    ...one.verdicts.flatMap(verdict => [verdict.id, verdict.code, verdict.reason]), JSON.stringify(one.judgement),
  ].join("\n").toLowerCase();
  turns.lower ??= turns.map(([, text]) => text).join("\n").toLowerCase();
  return { includes: word => row.own.includes(word) || turns.lower.includes(word) };
}

const opened = row => Promise.all([answers.get(row.place), prompts.get(row.prompt)]);

// ---- Table

function showRows() {
  const pages = Math.max(1, Math.ceil(shown.length / PAGE));
  page = Math.min(page, pages - 1);
  const body = byId("rows").tBodies[0];
  body.replaceChildren(...shown.slice(page * PAGE, (page + 1) * PAGE).map(rowElement));
  byId("count").textContent = shown.length === data.rows.length
    ? `${spaced(shown.length)} answers`
    : `${spaced(shown.length)} of ${spaced(data.rows.length)} answers`;
  byId("page").textContent = `page ${page + 1} of ${pages}`;
  document.querySelector(".pages").hidden = pages === 1;
  byId("previous-page").disabled = page === 0;
  byId("next-page").disabled = page === pages - 1;
}

function rowElement(row, offset) {
  const place = page * PAGE + offset;
  const open = make("button", { type: "button", class: "open", "data-at": place }, make("bdi", {}, marked(row.name)));
  open.addEventListener("click", () => openSample(place));
  open.addEventListener("focus", () => { current = place; });
  const cells = [
    make("th", { scope: "row" }, data.runs.length > 1 ? swatch(row.run) : null, open),
    make("td", { class: "verdict" }, pill(row), metOf(row)),
    make("td", { class: "quiet" }, make("bdi", {}, marked(category(row)))),
    make("td", { class: "why" }, make("bdi", {}, marked(row.why))),
    make("td", { class: "begins" }, make("bdi", {}, marked(row.start.replaceAll("\n", " ")))),
    make("td", { class: "n" }, spaced(row.length)),
  ];
  const element = make("tr", { class: row.verdict }, ...cells);
  element.addEventListener("click", event => {
    if (!event.target.closest("button") && !String(getSelection())) openSample(place);
  });
  return element;
}

function swatch(run) {
  return make("span", { class: `swatch run-${run % 6}`, role: "img", "aria-label": marked(data.runs[run]), title: marked(data.runs[run]) });
}

function pill(row) {
  const kind = isVerdict(row) ? row.verdict : "none";
  return make("span", { class: `pill ${kind}` }, `${{ right: "✓", wrong: "✗", none: "–" }[kind]} ${WORDS[row.verdict] ?? row.verdict}`);
}

function metOf(row) {
  if (!isVerdict(row)) return null;
  const looks = row.looks.filter(look => look !== "with_reasoning").map(look => make("span", { class: "look" }, WORDS[look]));
  const value = row.met[1] > 1 ? `${row.met[0]} of ${row.met[1]} met`
    : row.value !== null && row.value > 0 && row.value < 1 ? row.value.toFixed(2) : "";
  return make("span", { class: "met" }, value, ...looks, row.against ? make("span", { class: `look ${row.against}` }, row.against) : null);
}

// The labels that have several values here, the shortest ones first.
function category(row) {
  return categoryPlaces.map(place => row.labels[place]).filter(Boolean).slice(0, 3).join(" · ");
}

let categoryPlaces = [];

function chooseCategories() {
  const usual = ["tier", "family", "difficulty", "type", "topic"];
  const several = data.categories.map((name, place) => [name, place])
    .filter(([, place]) => new Set(data.rows.map(row => row.labels[place])).size > 1);
  const known = several.filter(([name]) => usual.includes(name));
  categoryPlaces = (known.length ? known : several).sort(([a], [b]) => usual.indexOf(a) - usual.indexOf(b)).map(([, place]) => place);
}

function focusRow(place) {
  if (!shown.length) return;
  current = Math.min(Math.max(place, 0), shown.length - 1);
  if (Math.floor(current / PAGE) !== page) {
    page = Math.floor(current / PAGE);
    showRows();
  }
  document.querySelector(`[data-at="${current}"]`).focus();
}

function turnPage(step) {
  const to = (page + step) * PAGE;
  if (to >= 0 && to < shown.length) focusRow(to);
}

// ---- One answer

async function openSample(place) {
  showing = Math.min(Math.max(place, 0), shown.length - 1);
  const row = shown[showing];
  byId("sample-name").replaceChildren(make("bdi", {}, marked(row.name)), " ", pill(row));
  byId("sample-place").textContent = `${spaced(showing + 1)} of ${spaced(shown.length)}`;
  byId("sample-previous").disabled = showing === 0;
  byId("sample-next").disabled = showing === shown.length - 1;
  const body = byId("sample-body");
  body.replaceChildren();
  if (!byId("sample").open) byId("sample").showModal();
  body.focus();
  const [one, turns] = await opened(row);
  if (shown[showing] !== row) return;
  const others = siblings(row);
  const whole = await Promise.all(others.map(other => answers.get(other.place)));
  if (shown[showing] !== row) return;
  body.replaceChildren(
    facts(row, one),
    make("div", { class: others.length ? "beside" : "alone" },
      answerOf(row, one), ...others.map((other, place) => answerOf(other, whole[place]))),
    promptOf(turns),
    one.scoring ? folded("Checked against", textBlock(pretty(one.scoring), "Checked against")) : "",
  );
  body.scrollTop = 0;
}

// Answers of the other runs to the same question, the same repeat where they have it.
function siblings(row) {
  const found = data.rows.filter(other => other.question === row.question && other.run !== row.run);
  return data.runs.map((_, run) => found.filter(other => other.run === run))
    .flatMap(of => of.find(other => other.repeat === row.repeat) ?? of.slice(0, 1));
}

function facts(row, one) {
  const [prompt, completion] = one.tokens.map(count => count ?? "?");
  return tags([["asked as", data.tasks[row.task]], ["finish reason", one.finish],
    ["tokens", one.tokens.some(Number.isInteger) ? `${prompt} prompt, ${completion} completion` : ""],
    ...Object.entries(one.labels).map(([name, value]) => [name.replaceAll("_", " "), value])]);
}

// Names with their values, one behind the other; those without a value are left out.
function tags(pairs) {
  const told = pairs.filter(([, value]) => value !== undefined && value !== null && value !== "");
  return make("dl", { class: "tags" }, ...told.map(([name, value]) =>
    make("div", {}, make("dt", {}, marked(name)), make("dd", {}, make("bdi", {}, textNodes(worded(value)))))));
}

function answerOf(row, one) {
  const title = data.runs.length > 1 ? make("h3", {}, swatch(row.run), make("bdi", {}, marked(data.runs[row.run])), " ", pill(row)) : "";
  return make("article", { class: "answer" }, title,
    one.error ? make("p", { class: "error" }, textNodes(one.error)) : "",
    headed(`Answer (${spaced(one.text.length)} characters)`, textBlock(one.text, "Answer")),
    tags(Object.entries(one.scores).map(([name, value]) => [name, rounded(value)])),
    one.reasoning ? folded(`Reasoning, not scored (${spaced(one.reasoning.length)} characters)`, textBlock(one.reasoning, "Reasoning")) : "",
    one.rest ? folded(`What the model went on with, not scored (${spaced(one.rest.length)} characters)`, textBlock(one.rest, "What the model went on with")) : "",
    one.verdicts.length ? headed("Verdicts", verdictsOf(one.verdicts)) : "",
    ...judgeOf(one));
}

function verdictsOf(verdicts) {
  const several = new Set(verdicts.map(verdict => verdict.grader)).size > 1;
  const passed = { true: ["right", "✓", "passed"], false: ["wrong", "✗", "failed"] };
  return make("ul", { class: "verdicts" }, ...verdicts.map(verdict => {
    const [kind, sign, words] = passed[verdict.passed] ?? ["none", "–", "no verdict"];
    const values = [["wanted", verdict.wanted], ["found", verdict.observed]].filter(([, value]) => value !== "null");
    return make("li", { class: kind },
      make("span", { class: `pill ${kind}`, title: words }, make("span", { "aria-hidden": "true" }, sign), make("span", { class: "hidden" }, words)),
      make("div", {},
        make("p", {}, make("b", {}, textNodes(verdict.id)), several ? ` by ${verdict.grader}` : "", " ", make("code", {}, textNodes(verdict.code))),
        make("p", {}, make("bdi", {}, textNodes(verdict.reason))),
        values.length ? make("p", { class: "quiet" }, ...values.flatMap(([name, value], place) =>
          [place ? ", " : "", `${name} `, make("bdi", {}, textNodes(value.length > 300 ? value.slice(0, 299) + "…" : value))])) : ""));
  }));
}

// What judging took, and the judge's own form of it; earlier versions kept the former alone.
function judgeOf(one) {
  const { rule, judge, verdict, replies, ...rest } = { ...one.judging, ...one.judgement };
  if (rest.status === undefined) return [];
  return [headed("The judge's work",
    tags([...Object.entries(rest).map(([name, value]) => [name.replaceAll("_", " "), value]),
      ["the rule says", rule], ["the judge says", judge]]),
    verdict && Object.keys(verdict).length ? textBlock(JSON.stringify(verdict, null, 2), "The judge's verdict") : "",
    ...(replies ?? []).map((reply, place) => replyOf(worded(reply), place)))];
}

const rounded = value => String(Math.round(value * 1e4) / 1e4);
const worded = value => typeof value === "string" ? value : JSON.stringify(value, null, 2);

// A judge's own reasoning is folded once more.
function replyOf(reply, place) {
  const cut = reply.lastIndexOf("</think>");
  const [reasoning, said] = cut < 0 ? ["", reply] : [reply.slice(0, cut), reply.slice(cut + 8)];
  return folded(`Reply ${place + 1}, as it came`,
    reasoning ? folded("Reasoning", textBlock(reasoning, "The judge's reasoning")) : "",
    textBlock(said.trim(), "The judge's reply"));
}

function promptOf(turns) {
  const total = turns.reduce((sum, [, text]) => sum + text.length, 0);
  return headed(`Prompt (${spaced(total)} characters)`, ...turns.map(([role, text]) =>
    make("div", { class: "turn" }, turns.length > 1 || role !== "user" ? make("p", { class: "role" }, marked(role)) : "", textBlock(text, `Prompt, ${role}`))));
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function step(by) {
  const to = showing + by;
  if (to >= 0 && to < shown.length) openSample(to);
}

// The row of the answer that was open, whatever page it is on; unless one has gone on to something else.
function closed() {
  if (document.activeElement.matches("body, .open, #samples")) focusRow(showing);
}

// ---- Theme

const THEMES = ["system", "light", "dark"];

function setTheme(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  byId("theme").textContent = `Theme: ${theme}`;
  try {
    localStorage.setItem("report theme", theme);
  } catch {
    // A browser that keeps nothing shows the system's theme next time.
  }
}

function nextTheme() {
  const now = document.documentElement.dataset.theme ?? "system";
  setTheme(THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]);
}

function keptTheme() {
  try {
    const kept = localStorage.getItem("report theme");
    if (THEMES.includes(kept)) setTheme(kept);
  } catch {
    // As above.
  }
}

// ---- Keyboard

function toggleFailed() {
  byId("by-verdict").value = byId("by-verdict").value === "wrong" ? "" : "wrong";
  apply();
  focusRow(0);
}

function clearAll() {
  byId("filters").reset();
}

const PAGE_KEYS = {
  "/": () => { byId("search").focus(); byId("search").select(); },
  "?": () => byId("keys").showModal(),
  f: toggleFailed, x: clearAll, t: nextTheme,
  j: () => focusRow(document.activeElement.matches(".open") ? current + 1 : current),
  k: () => focusRow(current - 1),
};
const ROW_KEYS = {
  ArrowDown: () => focusRow(current + 1), ArrowUp: () => focusRow(current - 1),
  PageDown: () => turnPage(1), PageUp: () => turnPage(-1),
  Home: () => focusRow(page * PAGE), End: () => focusRow(Math.min((page + 1) * PAGE, shown.length) - 1),
};
const SAMPLE_KEYS = {
  j: () => step(1), k: () => step(-1), ArrowRight: () => step(1), ArrowLeft: () => step(-1), t: nextTheme,
};

function keysHere() {
  if (byId("sample").open) return SAMPLE_KEYS;
  if (byId("keys").open) return {};
  return document.activeElement.matches(".open") ? { ...PAGE_KEYS, ...ROW_KEYS } : PAGE_KEYS;
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === byId("search")) {
    if (event.key === "Escape") byId("search").blur();
    if (event.key === "ArrowDown" || event.key === "Enter") focusRow(0);
    if (["Escape", "ArrowDown", "Enter"].includes(event.key)) event.preventDefault();
    return;
  }
  if (event.target.matches("select, input")) return;
  const keys = keysHere();
  // Under a layout of another script the letter is known by its place on the keyboard.
  const placed = event.code.startsWith("Key") ? event.code.slice(3).toLowerCase() : event.code === "Slash" ? "/" : "";
  const name = [event.key, event.shiftKey ? "" : placed].find(key => Object.hasOwn(keys, key));
  if (name === undefined || !data) return;
  event.preventDefault();
  keys[name]();
}

// ---- What the parts above the table open

function fromAbove(event) {
  const button = event.target.closest("main button[data-run]");
  if (!button || !data) return;
  const run = data.runs.length > 1 ? button.dataset.run : "";
  if (button.dataset.check !== undefined) only({ ...requirement(button.dataset.check), "by-run": run });
  if (button.dataset.code !== undefined) only({ "by-code": button.dataset.code, "by-run": run });
  if (button.dataset.against !== undefined) only({ "by-against": button.dataset.against, "by-run": run });
  if (button.dataset.place !== undefined) openPlace(Number(button.dataset.run), Number(button.dataset.place));
}

// The answers that fail a requirement; where none does, all that have it.
function requirement(name) {
  const failed = [...byId("by-check").options].some(one => one.value === name);
  return failed ? { "by-check": name } : { "by-category": JSON.stringify([-1, name]) };
}

function openPlace(run, place) {
  only({});
  const row = data.rows.filter(one => one.run === run)[place];
  openSample(shown.indexOf(row));
}

// ---- Start

function listen() {
  let waiting;
  byId("search").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(search, 150); });
  byId("filters").addEventListener("change", event => { if (event.target !== byId("search")) apply(); });
  byId("filters").addEventListener("submit", event => event.preventDefault());
  byId("filters").addEventListener("reset", () => setTimeout(search));
  byId("previous-page").addEventListener("click", () => turnPage(-1));
  byId("next-page").addEventListener("click", () => turnPage(1));
  for (const head of document.querySelectorAll("[data-sort]")) {
    head.firstElementChild.addEventListener("click", () => sortBy(head.dataset.sort));
  }
  byId("sample-previous").addEventListener("click", () => step(-1));
  byId("sample-next").addEventListener("click", () => step(1));
  byId("sample-close").addEventListener("click", () => byId("sample").close());
  byId("sample").addEventListener("close", closed);
  byId("keys-open").addEventListener("click", () => byId("keys").showModal());
  byId("theme").addEventListener("click", nextTheme);
  document.addEventListener("click", fromAbove);
  document.addEventListener("keydown", pressed);
}

async function start() {
  keptTheme();
  listen();
  if (typeof DecompressionStream === "undefined") {
    byId("count").textContent = "This browser cannot unpack the answers: it has no DecompressionStream. Use a newer one.";
    return;
  }
  data = await unpack(byId("index"));
  data.rows.forEach((row, place) => { row.place = place; });
  answers = new Packed("answers", data.answers);
  prompts = new Packed("prompts", data.prompts);
  fillFilters();
  chooseCategories();
  apply();
}

start();
