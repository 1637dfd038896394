import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { subcommands } from "../../core/dist/src/app/cli/subcommands.js";
import { parseShellWords } from "../../core/dist/src/base/shell-words.js";
import { documents, root } from "./documents.mjs";

/** No command has it, so that none does anything: it complains of the first option that it does not know. */
const unknownOption = "--not-an-option";
const call = /^(?:npx (?:-y )?|node \S*core\/dist\/bin\/)?symposium-acp-agent(?:\.mjs)?(?: (.*))?$/;
/** Code in the command's two reference pages, and in the page with the options of `mcp import`. */
const referenceSpans = documents
  .filter(({ file }) => ["docs/command-line.md", "docs/command-line-manage.md", "docs/mcp-servers.md"].includes(file))
  .flatMap(({ spans }) => spans);
/** Output of each subcommand's `--help`, by the subcommand's words. A group's help lists its members. */
let helps;

const { SYMPOSIUM_CONFIG_DIR: configFolder } = process.env;

before(async () => {
  process.env.SYMPOSIUM_CONFIG_DIR = join(tmpdir(), "symposium-docs-nobody");
  helps = new Map();
  const next = [[]];
  for (const words of next) {
    const text = await helpOf(words);
    helps.set(words.join(" "), text);
    next.push(...membersIn(text).map((name) => [...words, name]));
  }
});
after(() => {
  if (configFolder === undefined) delete process.env.SYMPOSIUM_CONFIG_DIR;
  else process.env.SYMPOSIUM_CONFIG_DIR = configFolder;
});

describe("the commands in the documents", () => {
  it("are understood by symposium-acp-agent", async () => {
    const calls = [...new Set(lines().flatMap((line) => call.exec(line)?.[1] ?? []))];
    assert.ok(calls.length > 30);
    const refused = [];
    for (const text of calls) {
      const refusal = await refusalOf(text);
      if (refusal !== undefined) refused.push({ text, refusal });
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

describe("the pages about the command", () => {
  it("have every subcommand", () => {
    const subcommands = [...helps.keys()].filter((name) => name !== "" && membersIn(helps.get(name)).length === 0);
    assert.ok(subcommands.includes("registry install") && subcommands.includes("serve-openai"));
    const said = referenceSpans.map((span) => span.replace(/^symposium-acp-agent /, ""));
    assert.deepEqual(
      subcommands.filter((name) => !said.some((span) => span === name || span.startsWith(`${name} `))),
      [],
    );
  });

  it("have every option", () => {
    const options = new Set([...helps.values()].flatMap((text) => text.match(/--[a-z][a-z-]+/g) ?? []));
    const said = new Set(referenceSpans.flatMap((span) => span.match(/--[a-z][a-z-]+/g) ?? []));
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

/** The reason why the command refuses these words. */
function complaint(words) {
  return subcommands(words).then(
    (exitCode) => `It ran, with exit code ${exitCode}.`,
    (error) => error.message,
  );
}

/** The help that the command prints. */
async function helpOf(words) {
  const { write } = process.stdout;
  let text = "";
  process.stdout.write = (chunk) => (text += chunk) !== "";
  try {
    assert.equal(await subcommands([...words, "--help"]), 0);
  } finally {
    process.stdout.write = write;
  }
  return text;
}
