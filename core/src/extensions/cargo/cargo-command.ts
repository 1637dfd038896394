import { SymposiumError } from "../../base/symposium-error.js";
import { asObject, stringsOf } from "../../base/rpc/json.js";
import type { CargoKind } from "./cargo-transcript.js";
import { shellWord } from "../../base/shell-word.js";

export interface CargoVerb {
  readonly tool: string;
  readonly args: readonly string[];
  readonly kind: CargoKind;
}

export interface CargoCall {
  readonly verb: CargoVerb;
  /** `+nightly` or similar; empty for the default. */
  readonly toolchain: readonly string[];
  /** All arguments after the toolchain. */
  readonly args: readonly string[];
  /** Arguments after the toolchain for `cargo tree`, which lists the packages that this call builds. */
  readonly tree: readonly string[];
  /** Command line for users, without the options that make the output machine-readable. */
  readonly commandLine: string;
  readonly env: Readonly<Record<string, string>>;
  /** Working directory as given; undefined for the session's folder. */
  readonly cwd: string | undefined;
  /** Time limit; undefined for the default. */
  readonly timeoutMs: number | undefined;
}

/** Converts schema-valid arguments to a call. Throws `invalid-arguments` if cargo would misread an argument. */
export function toCargoCall(tool: CargoVerb, args: Readonly<Record<string, unknown>>): CargoCall {
  const verb = tool.kind === "test" && args["runner"] === "nextest" ? { ...tool, ...nextest } : tool;
  const toolchain = plain("toolchain", textOf(args["toolchain"])?.replace(/^\+/, ""));
  const extra = extraArguments(args["cargo_args"]);
  const selection = [...selectionOf(args), ...extra];
  const filter = tool.kind === "test" ? plain("filter", textOf(args["filter"])) : undefined;
  const own = [...selection, ...(filter === undefined ? [] : [filter])];
  const after = stringsOf(args["args"]);
  const rest = after.length === 0 ? [] : ["--", ...after];
  const toolchainArgs = toolchain === undefined ? [] : [`+${toolchain}`];
  // Rustfmt colors its diffs whenever `TERM` describes a terminal.
  const format = verb.kind === "format" ? ["--", ...after, "--color", "never"] : rest;
  const readable =
    verb.kind === "format" ? [] : [verb.kind === "nextest" ? "--cargo-message-format=json" : "--message-format=json"];
  const seconds = args["timeout_seconds"];
  return {
    verb,
    toolchain: toolchainArgs,
    args: [...verb.args, ...readable, ...own, ...format],
    tree: [...treeArguments(verb, extra), ...selectionOf(args)],
    commandLine: ["cargo", ...toolchainArgs, ...verb.args, ...own, ...rest].map(shellWord).join(" "),
    env: { ...(verb.kind === "nextest" && nextestEnvironment), ...environmentOf(args["env"]) },
    cwd: textOf(args["cwd"]),
    timeoutMs: typeof seconds === "number" ? seconds * 1000 : undefined,
  };
}

const nextest = { args: ["nextest", "run", "--no-fail-fast"], kind: "nextest" } as const;

/** Settings that the nextest output parser requires. They override the project's configuration. */
const nextestEnvironment = {
  NEXTEST_STATUS_LEVEL: "pass",
  NEXTEST_FAILURE_OUTPUT: "immediate",
  NEXTEST_SUCCESS_OUTPUT: "never",
  NEXTEST_SHOW_PROGRESS: "none",
};

/** Options for packages, features and target. `=` prevents cargo from reading a value that starts with `-` as an option. */
function selectionOf(args: Readonly<Record<string, unknown>>): string[] {
  const packageName = textOf(args["package"]);
  const features = stringsOf(args["features"]);
  const target = textOf(args["target"]);
  return [
    ...(packageName === undefined ? [] : [`--package=${packageName}`]),
    ...(features.length === 0 ? [] : [`--features=${features.join(",")}`]),
    ...(args["all_features"] === true ? ["--all-features"] : []),
    ...(args["no_default_features"] === true ? ["--no-default-features"] : []),
    ...(target === undefined ? [] : [`--target=${target}`]),
  ];
}

/** Extra arguments that select packages; the next argument may be the value of the last one. */
const choosing =
  /^(?:-[pF].*|--(?:workspace|all|all-features|no-default-features)|--(?:package|exclude|features|target)(?:=.*)?)$/;
const awaitsValue = /^(?:-[pF]|--(?:package|exclude|features|target))$/;
const buildsTests = /^--(?:all-targets|(?:test|bench|example)s?(?:=.*)?)$/;

/** Arguments of `cargo tree` for the packages that `verb` builds. It downloads and writes nothing. */
function treeArguments(verb: CargoVerb, extra: readonly string[]): string[] {
  const isTest = verb.kind === "test" || verb.kind === "nextest" || extra.some((arg) => buildsTests.test(arg));
  const chosen = extra.filter((arg, index) => choosing.test(arg) || awaitsValue.test(extra[index - 1] ?? ""));
  const edges = `--edges=normal,build${isTest ? ",dev" : ""}`;
  return ["tree", "--frozen", "--prefix=none", "--format={p}", edges, ...chosen];
}

/** Options that would change the parsed output or the locking of runs, with their replacement. */
const reserved: readonly (readonly [RegExp, string])[] = [
  [/^--$/, "Put what follows `--` into `args`."],
  [/^--(?:cargo-)?message-format(?:=|$)/, "The output is summarized here; cargo_output shows cargo's own output."],
  [/^--color(?:=|$)/, "The output has no colors."],
  [/^(?:-[qv]+|--quiet|--verbose)$/, "cargo_output shows the whole output."],
  [/^--target-dir(?:=|$)/, "Set CARGO_TARGET_DIR in `env`."],
  [/^(?:--manifest-path(?:=|$)|-C)/, "Set `cwd` to the folder of the package."],
];

function extraArguments(value: unknown): string[] {
  const args = stringsOf(value);
  for (const arg of args) {
    const found = reserved.find(([pattern]) => pattern.test(arg));
    if (found) throw new SymposiumError("invalid-arguments", `cargo_args: "${arg}" isn't allowed here.`, found[1]);
  }
  return args;
}

function environmentOf(value: unknown): Readonly<Record<string, string>> {
  const entries: [string, string][] = [];
  for (const [name, text] of Object.entries(asObject(value) ?? {})) {
    if (typeof text !== "string" || !/^[^=\0]+$/.test(name)) {
      throw new SymposiumError(
        "invalid-arguments",
        `env.${name}: expected a string, got ${JSON.stringify(text)}.`,
        'Give each variable as text, such as {"RUST_BACKTRACE": "1"}.',
      );
    }
    entries.push([name, text]);
  }
  return Object.fromEntries(entries);
}

/** Throws if `value` starts with `-`, since cargo would read it as an option. */
function plain(name: string, value: string | undefined): string | undefined {
  if (value?.startsWith("-") !== true) return value;
  throw new SymposiumError("invalid-arguments", `${name}: "${value}" is an option.`, "Put options in `cargo_args`.");
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
