// Shared code of the reporters in this folder. Reporters write events as lines of JSON to the file named by SYMPOSIUM_TEST_EVENTS. Each
// event is written at once, so that a run that crashes loses none. A reporter never changes a run. Events that can't be written are lost.
const { appendFileSync } = require("node:fs");
const { relative } = require("node:path");

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
    // Names of tests are whatever a project calls them, with colours, too.
    const named = typeof event.name === "string" ? { ...event, name: text(event.name) } : event;
    appendFileSync(file, `${JSON.stringify(named)}\n`);
  } catch {
    // A full disk is not the tests' fault.
  }
}

/** How many obsolete snapshots are named. */
const mostNamed = 10;

/** Tells of snapshots that no test asks for, as Jest and Vitest count them: which they are, since only they can be removed. */
function obsolete(summary) {
  const { unchecked = 0, filesRemoved = 0, uncheckedKeysByFile = [] } = summary ?? {};
  if (unchecked > 0) {
    const names = uncheckedKeysByFile.flatMap(({ filePath, keys }) =>
      keys.map((key) => `${key} (${relative(process.cwd(), filePath)})`),
    );
    const left = names.length > mostNamed ? [`${names.length - mostNamed} more`] : [];
    const which = names.length === 0 ? "" : `: ${[...names.slice(0, mostNamed), ...left].join("; ")}`;
    const count = unchecked === 1 ? "1 snapshot is" : `${unchecked} snapshots are`;
    emit({ event: "notice", text: `${count} obsolete${which}` });
  }
  if (filesRemoved > 0) {
    const count = filesRemoved === 1 ? "1 file of snapshots is" : `${filesRemoved} files of snapshots are`;
    emit({ event: "notice", text: `${count} obsolete` });
  }
}

/** Says so if a test passed only after `retries` failed attempts. */
function flaky(name, retries = 0) {
  if (retries > 0) emit({ event: "notice", text: `flaky: ${name} passed at attempt ${retries + 1}` });
}

/** How many errors behind one are told. */
const mostCauses = 4;

/** Returns a line for each cause of an error and for each error that it aggregates. */
function causes(error, told = [error]) {
  const behind = [error?.cause, ...(Array.isArray(error?.errors) ? error.errors : [])];
  return behind.flatMap((one) => {
    if (one === undefined || one === null || told.includes(one) || told.length > mostCauses) return [];
    told.push(one);
    const said = text(one.message ?? one) ?? "";
    return [`caused by: ${nameOf(one)}${said.split(/\n[ \t]+at /)[0]}`, ...causes(one, told)];
  });
}

/** Of an error whose name says something. */
function nameOf(error) {
  return error?.name && !["Error", "AssertionError"].includes(error.name) ? `${error.name}: ` : "";
}

/**
 * Returns the message, the stack and the compared values of an error. If a runner appended a stack to the message, moves it to the end of
 * `stack`.
 */
function fault(error) {
  const stack = text(error?.stack ?? "") ?? "";
  const said = text(error?.message ?? error) ?? "";
  const at = said.search(/\n[ \t]+at .+[:(]/);
  return {
    message: [`${nameOf(error)}${at === -1 ? said : said.slice(0, at)}`, ...causes(error)].join("\n"),
    stack: at === -1 ? stack : `${stack}\n${said.slice(at)}`,
    ...(error && typeof error === "object" && ("expected" in error || "actual" in error)
      ? { expected: shown(error.expected), actual: shown(error.actual) }
      : {}),
  };
}

module.exports = { emit, fault, flaky, obsolete, text };
