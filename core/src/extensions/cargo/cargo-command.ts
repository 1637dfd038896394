import { SymposiumError } from "../../base/symposium-error.js";
import { asObject, stringsOf } from "../../base/rpc/json.js";
import type { CargoKind } from "./cargo-transcript.js";
import { shellWord } from "../../base/shell-word.js";

/** What one tool makes cargo do. */
export interface CargoVerb {
  readonly tool: string;
  /** The subcommand with the options that it always has. */
  readonly args: readonly string[];
  readonly kind: CargoKind;
}

/** One call, as command lines and settings. */
export interface CargoCall {
  readonly verb: CargoVerb;
  /** `+nightly`, or nothing. */
  readonly toolchain: readonly string[];
  /** What cargo gets after the toolchain, complete. */
  readonly args: readonly string[];
  /** What makes cargo list the packages that it builds for this call, after the toolchain. */
  readonly tree: readonly string[];
  /** For people: without the options that only make the output readable for us. */
  readonly commandLine: string;
  readonly env: Readonly<Record<string, string>>;
  /** As given; undefined for the session's folder. */
  readonly cwd: string | undefined;
  /** Undefined when the call does not say. */
  readonly timeoutMs: number | undefined;
}

/** Reads the arguments of a call, which fit the tool's schema. Throws `invalid-arguments` for what cargo would misread. */
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
  // Rustfmt colours its differences whenever it finds a terminal's description.
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

/** What our reading of nextest's words relies on, whatever the project's configuration says. */
const nextestEnvironment = {
  NEXTEST_STATUS_LEVEL: "pass",
  NEXTEST_FAILURE_OUTPUT: "immediate",
  NEXTEST_SUCCESS_OUTPUT: "never",
  NEXTEST_SHOW_PROGRESS: "none",
};

/** Which packages, features and target; `=` keeps a value that starts with `-` from being read as an option. */
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

/** Extra arguments that say which packages are built, and the one that may follow as the value of the last. */
const choosing =
  /^(?:-[pF].*|--(?:workspace|all|all-features|no-default-features)|--(?:package|exclude|features|target)(?:=.*)?)$/;
const awaitsValue = /^(?:-[pF]|--(?:package|exclude|features|target))$/;
const buildsTests = /^--(?:all-targets|(?:test|bench|example)s?(?:=.*)?)$/;

/** `cargo tree` for what `verb` builds with these extra arguments; it downloads and writes nothing. */
function treeArguments(verb: CargoVerb, extra: readonly string[]): string[] {
  const isTest = verb.kind === "test" || verb.kind === "nextest" || extra.some((arg) => buildsTests.test(arg));
  const chosen = extra.filter((arg, index) => choosing.test(arg) || awaitsValue.test(extra[index - 1] ?? ""));
  const edges = `--edges=normal,build${isTest ? ",dev" : ""}`;
  return ["tree", "--frozen", "--prefix=none", "--format={p}", edges, ...chosen];
}

/** Options that would change what we read or which runs wait for each other, with what does the same. */
const reserved: readonly (readonly [RegExp, string])[] = [
  [/^--$/, "What follows `--` belongs into `args`."],
  [/^--(?:cargo-)?message-format(?:=|$)/, "The output is summarised here; cargo_output shows it as cargo would."],
  [/^--color(?:=|$)/, "The output has no colours."],
  [/^(?:-[qv]+|--quiet|--verbose)$/, "cargo_output shows the whole output."],
  [/^--target-dir(?:=|$)/, "Set CARGO_TARGET_DIR in `env`."],
  [/^(?:--manifest-path(?:=|$)|-C)/, "Set `cwd` to the folder of the package."],
];

function extraArguments(value: unknown): string[] {
  const args = stringsOf(value);
  for (const arg of args) {
    const found = reserved.find(([pattern]) => pattern.test(arg));
    if (found) throw new SymposiumError("invalid-arguments", `cargo_args: "${arg}" cannot be given here.`, found[1]);
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

/** `value`, which stands where cargo would take one that starts with `-` for an option. */
function plain(name: string, value: string | undefined): string | undefined {
  if (value?.startsWith("-") !== true) return value;
  throw new SymposiumError(
    "invalid-arguments",
    `${name}: "${value}" is an option.`,
    "Options belong into `cargo_args`.",
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
