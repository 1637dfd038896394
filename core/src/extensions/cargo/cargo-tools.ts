import { argumentsSchema, flagSchema, integerSchema, textSchema, textsSchema } from "../../base/mcp/tool-schema.js";
import type { JsonSchema } from "../../base/mcp/argument-check.js";
import type { Tool, ToolContext, ToolResult } from "../../base/mcp/tool-server.js";
import { type CargoCall, type CargoVerb, toCargoCall } from "./cargo-command.js";

interface CargoToolActions {
  readonly testRunner: "cargo" | "nextest";
  run(call: CargoCall, context: ToolContext): Promise<ToolResult | string>;
  detail(handle: string, index: number): string;
  output(handle: string, offset: number, limit: number): Promise<string>;
}

/** Usage notes for the model. */
export const cargoInstructions =
  "Run cargo through these tools instead of a shell: they report every error, warning and failed test once, in few words. " +
  "The first line of a report is the command, its exit code and, in brackets, a handle. Diagnostics are numbered, causes " +
  "first, as `line:column code message: label; fix place text` below their file; `+` before a text inserts it. " +
  "cargo_detail shows one in full with all notes, cargo_output pages through the raw output; neither runs cargo again.";

/** Agents can't read longer pages in a tool result. */
const maxPageBytes = 64_000;
const defaultPageBytes = 16_000;

const common = {
  cwd: textSchema("Folder to run in, absolute or from the session's folder; by default the session's folder."),
  package: textSchema("Package to work on (-p); by default the one of the folder."),
  toolchain: textSchema('A rustup toolchain, such as "nightly".'),
  cargo_args: textsSchema(
    'Further options of cargo, such as "--release", "--workspace", "--all-targets" or "--bin=NAME".',
  ),
  env: { type: "object", description: "Environment variables to add, as text." },
  timeout_seconds: integerSchema(1, "After this time, stops the run and everything it started.", 86_400),
};

const building = {
  ...common,
  features: textsSchema("Features to activate."),
  all_features: flagSchema("Activate all features."),
  no_default_features: flagSchema("Do not activate the default features."),
  target: textSchema("Target triple to build for."),
};

interface CargoToolEntry {
  readonly verb: CargoVerb;
  readonly description: string;
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly isReadOnly?: boolean;
}

const entries: readonly CargoToolEntry[] = [
  {
    verb: { tool: "cargo_check", args: ["check"], kind: "build" },
    description: "Checks that the code compiles: the fastest way to all errors and warnings.",
    properties: building,
  },
  {
    verb: { tool: "cargo_build", args: ["build"], kind: "build" },
    description: "Compiles, and reports every error and warning.",
    properties: building,
  },
  {
    verb: { tool: "cargo_test", args: ["test", "--no-fail-fast"], kind: "test" },
    description:
      "Compiles and runs unit, integration and documentation tests, and reports each failed test with its panic, place and output.",
    properties: {
      ...building,
      filter: textSchema("Runs only tests whose name contains this."),
      runner: {
        enum: ["cargo", "nextest"],
        description: "nextest if the project uses it: a process for each test, and no documentation tests.",
      },
      args: textsSchema('Arguments of the test programs, such as "--ignored", "--exact" or "--test-threads=1".'),
    },
  },
  {
    verb: { tool: "cargo_clippy", args: ["clippy"], kind: "build" },
    description: "Checks the code with the lints of Clippy.",
    properties: { ...building, args: textsSchema('Arguments of the compiler, such as "-Wclippy::pedantic".') },
  },
  {
    verb: { tool: "cargo_run", args: ["run"], kind: "run" },
    description: "Compiles and runs a program without input, and reports its output and exit code.",
    properties: { ...building, args: textsSchema("Arguments of the program.") },
  },
  {
    verb: { tool: "cargo_fmt_check", args: ["fmt", "--check"], kind: "format" },
    description: "Names the files and lines that rustfmt would change, without changing them.",
    properties: { ...common, args: textsSchema("Arguments of rustfmt.") },
    isReadOnly: true,
  },
];

export function cargoTools(actions: CargoToolActions): readonly Tool[] {
  return [...entries.map((entry) => runTool(entry, actions)), detailTool(actions), outputTool(actions)];
}

function runTool(
  { verb, description, properties, isReadOnly = false }: CargoToolEntry,
  actions: CargoToolActions,
): Tool {
  return {
    name: verb.tool,
    description,
    inputSchema: argumentsSchema(properties),
    annotations: { readOnlyHint: isReadOnly, destructiveHint: verb.kind === "run" || verb.kind === "test" },
    // `async`, so that errors in the arguments also become rejections.
    call: async (args, context) => actions.run(toCargoCall(verb, { runner: actions.testRunner, ...args }), context),
  };
}

const handle = textSchema("The handle in brackets of a report's first line.");

function detailTool(actions: CargoToolActions): Tool {
  return {
    name: "cargo_detail",
    description:
      "Shows one numbered diagnostic of an earlier report as the compiler prints it, with all spans, notes and helps.",
    inputSchema: argumentsSchema({ handle, index: integerSchema(1, "Its number in the report.") }, ["handle", "index"]),
    annotations: { readOnlyHint: true },
    call: (args) => new Promise((resolve) => resolve(actions.detail(String(args["handle"]), Number(args["index"])))),
  };
}

function outputTool(actions: CargoToolActions): Tool {
  return {
    name: "cargo_output",
    description: "Shows the whole output of an earlier run, page by page, as cargo prints it.",
    inputSchema: argumentsSchema(
      {
        handle,
        offset: {
          type: "integer",
          description: "Byte to start at; a negative number starts from the end. Default: 0.",
        },
        limit: integerSchema(1, `Bytes; by default ${defaultPageBytes}.`, maxPageBytes),
      },
      ["handle"],
    ),
    annotations: { readOnlyHint: true },
    call: (args) =>
      actions.output(String(args["handle"]), Number(args["offset"] ?? 0), Number(args["limit"] ?? defaultPageBytes)),
  };
}
