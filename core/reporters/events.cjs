// What the reporters of this folder share: they write events as lines of JSON to the file that SYMPOSIUM_TEST_EVENTS names, at
// once, so that what a run has told is there however it ends. A reporter never changes a run: what it cannot write is lost.
const { appendFileSync } = require("node:fs");

const file = process.env.SYMPOSIUM_TEST_EVENTS;
const ansi = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[ -/]*[@-~]`, "g");
const longest = 20_000;

/** Any value as text: what an assertion compared may be anything. */
function text(value) {
  if (value === undefined) return undefined;
  const plain = (typeof value === "string" ? value : String(value)).replace(ansi, "");
  return plain.length <= longest ? plain : `${plain.slice(0, longest)}… ${plain.length - longest} characters left out`;
}

/** A value that an assertion compared. */
function shown(value) {
  if (value === undefined) return undefined;
  if (typeof value === "string") return text(value);
  try {
    return text(
      JSON.stringify(value, (_, member) => (typeof member === "bigint" ? `${member}n` : member), 2) ?? String(value),
    );
  } catch {
    return text(value);
  }
}

function emit(event) {
  if (!file) return;
  try {
    appendFileSync(file, `${JSON.stringify(event)}\n`);
  } catch {
    // A full disk is not the tests' fault.
  }
}

/** What an error says: its message without the stack that some runners put behind it, the stack, and what was compared. */
function fault(error) {
  const stack = text(error?.stack ?? "") ?? "";
  const said = text(error?.message ?? error) ?? "";
  const name = error?.name && !["Error", "AssertionError"].includes(error.name) ? `${error.name}: ` : "";
  const at = said.search(/\n[ \t]+at .+[:(]/);
  return {
    message: `${name}${at === -1 ? said : said.slice(0, at)}`,
    stack: at === -1 ? stack : `${stack}\n${said.slice(at)}`,
    ...(error && typeof error === "object" && ("expected" in error || "actual" in error)
      ? { expected: shown(error.expected), actual: shown(error.actual) }
      : {}),
  };
}

module.exports = { emit, fault, text };
