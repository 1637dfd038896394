import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseShellWords } from "../../core/dist/src/settings/shell-words.js";
import { documents, root } from "./documents.mjs";

const program = join(root, "core/dist/bin/symposium-acp-agent.mjs");
/** No command has it, so that none does anything: it complains of the first option that it does not know. */
const unknownOption = "--not-an-option";
const call = /^(?:npx (?:-y )?|node \S*core\/dist\/bin\/)?symposium-acp-agent(?:\.mjs)?(?: (.*))?$/;
const reference = documents.find(({ file }) => file === "docs/command-line.md");
/** So many commands run at once: on a slow machine, none of dozens would end in time. */
const lanes = Array.from({ length: 4 }, () => Promise.resolve());
let started = 0;
/** What each subcommand's `--help` prints, by its words; those that are groups have others in it. */
let helps;

before(async function () {
  this.timeout(180_000);
  helps = new Map();
  let next = [[]];
  while (next.length > 0) {
    const texts = await Promise.all(next.map(async (words) => ({ words, text: await outputOf([...words, "--help"]) })));
    for (const { words, text } of texts) helps.set(words.join(" "), text);
    next = texts.flatMap(({ words, text }) => membersIn(text).map((name) => [...words, name]));
  }
});

describe("the commands in the documents", () => {
  it("are understood by symposium-acp-agent", async function () {
    this.timeout(180_000);
    const calls = [...new Set(lines().flatMap((line) => call.exec(line)?.[1] ?? []))];
    assert.ok(calls.length > 30);
    const refused = [];
    for (let next = 0; next < calls.length; next += 4) {
      const answers = calls.slice(next, next + 4).map(async (text) => ({ text, refusal: await refusalOf(text) }));
      refused.push(...(await Promise.all(answers)).filter(({ refusal }) => refusal !== undefined));
    }
    assert.deepEqual(refused, []);
  });

  it("are refused where they have a mistake", async () => {
    const wrong = ["frob", "run --frob", "chat --agent", "registry frob", "zed instal", "zed install --agents x"];
    const refusals = await Promise.all(wrong.map(refusalOf));
    assert.deepEqual(
      wrong.filter((_, index) => refusals[index] === undefined),
      [],
    );
  });

  it("are scripts of this repository where npm runs them", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const named = lines().flatMap((line) => /^npm run ([\w:-]+)/.exec(line)?.[1] ?? []);
    assert.ok(named.length > 5);
    assert.deepEqual(
      named.filter((name) => !Object.hasOwn(scripts, name)),
      [],
    );
  });
});

describe("the page about the command", () => {
  it("has every subcommand", () => {
    const subcommands = [...helps.keys()].filter((name) => name !== "" && membersIn(helps.get(name)).length === 0);
    assert.ok(subcommands.includes("registry install") && subcommands.includes("serve-openai"));
    const said = reference.spans.map((span) => span.replace(/^symposium-acp-agent /, ""));
    assert.deepEqual(
      subcommands.filter((name) => !said.some((span) => span === name || span.startsWith(`${name} `))),
      [],
    );
  });

  it("has every option", () => {
    const options = new Set([...helps.values()].flatMap((text) => text.match(/--[a-z][a-z-]+/g) ?? []));
    const said = new Set(reference.spans.flatMap((span) => span.match(/--[a-z][a-z-]+/g) ?? []));
    assert.deepEqual(
      [...options].filter((option) => !said.has(option)),
      [],
    );
  });
});

/** Lines of shell samples and spans of code, without comments and placeholders of syntax. */
function lines() {
  const inSamples = documents.flatMap(({ samples }) =>
    samples.filter(({ language }) => language === "sh").flatMap(({ content }) => content.split("\n")),
  );
  const spans = documents.flatMap((document) => document.spans).filter((span) => !/[[|…]/.test(span));
  return [...inSamples, ...spans].map((line) => line.replace(/\s+#.*$/, "").trim());
}

/** Why the command does not accept these words; undefined when it does. */
async function refusalOf(text) {
  const shellWords = parseShellWords(text);
  if (shellWords.kind === "problem") return shellWords.message;
  const { command, args } = shellWords.command;
  const words = [command, ...args];
  if (words.at(-1) === "--help" && helps.has(words.slice(0, -1).join(" "))) return undefined;
  if (words.length === 1 && ["--version", "-v"].includes(command)) return undefined;
  if (!isSubcommand(words)) return "No help has such a subcommand.";
  const end = words.indexOf("--");
  const ownWords = end === -1 ? words : words.slice(0, end);
  const rest = end === -1 ? [] : words.slice(end);
  const said = await complaint([...ownWords, unknownOption, ...rest]);
  return said.includes(`Unknown option "${unknownOption}"`) ? undefined : said;
}

/** The names that a group's help lists; none in that of another subcommand. */
function membersIn(text) {
  const [, list = ""] = text.split("\nCommands:\n");
  return [...list.matchAll(/^ {2}([a-z][\w-]*) /gm)].map(([, name]) => name).filter((name) => name !== "help");
}

/** Whether the words begin with a subcommand that is in a help. */
function isSubcommand([first = "", second = ""]) {
  if (first.startsWith("-") || first === "mcp-shim") return true;
  return helps.has(membersIn(helps.get(first) ?? "").length === 0 ? first : `${first} ${second}`);
}

/** What the command says to words that it cannot accept. */
async function complaint(words) {
  return (await ended(words)).stderr;
}

async function outputOf(words) {
  const { error, stdout } = await ended(words);
  assert.equal(error, null);
  return stdout;
}

function ended(words) {
  const lane = started++ % lanes.length;
  return (lanes[lane] = lanes[lane].then(() => run(words)));
}

function run(words) {
  const env = { ...process.env, SYMPOSIUM_CONFIG_DIR: join(tmpdir(), "symposium-docs-nobody") };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...words], { env, timeout: 120_000 }, (error, stdout, stderr) =>
      resolve({ error, stdout, stderr }),
    );
    child.stdin?.end();
  });
}
