import { linkedSignal } from "../../../base/linked-signal.js";
import { SymposiumError } from "../../../base/symposium-error.js";
import { bounded, counted, type ShownPlace, placeLines, shownPlace, stateMark } from "../answer-text.js";
import type { IdeCall } from "../ide-call.js";
import { Evaluation, programFunctions, usageOf } from "../program/evaluate.js";
import { parseProgram } from "../program/parse-program.js";
import { ProgramFault, programLimits } from "../program/program-limits.js";
import { Fields, isList, Item, itemFields, type Value } from "../program/value.js";
import type { IdeToolEntry } from "./ide-tool.js";

const maxOutput = 24_000;

/** Tool that runs a program with many queries in one call. */
export const programTool: IdeToolEntry = {
  name: "ide_operation",
  description:
    'Many questions in one call: symbols("src/a.rs") | where(kind == "method") | map({name, uses: count(references(it))}) | sort(-uses). The program "help" lists the functions.',
  needs: ["definition", "references", "documentSymbols"],
  properties: { program: { type: "string" } },
  required: ["program"],
  async run(call, args) {
    const program = args.required("program");
    if (/^\s*help(?:\(\))?\s*$/.test(program)) return programHelp();
    try {
      return await inTime(call, (limited) => runProgram(limited, program));
    } catch (fault) {
      throw fault instanceof ProgramFault ? fault.in(program) : fault;
    }
  },
};

async function runProgram(call: IdeCall, program: string): Promise<string> {
  const evaluation = new Evaluation(call);
  const values = await evaluation.run(parseProgram(program));
  const lines: string[] = [];
  for (const value of values) lines.push(...(await showValue(call, value)));
  const text = lines.join("\n");
  const end = text.lastIndexOf("\n", maxOutput);
  const shown = text.length <= maxOutput ? text : `${text.slice(0, end)}\n… cut: take(…) less, or count`;
  const { questions } = evaluation.budget;
  return `${shown}\n${questions === 0 ? "" : `${counted(questions, "question")} `}${stateMark(call.state)}`;
}

/** Stops a program at the time limit, even during a query. */
async function inTime(call: IdeCall, run: (call: IdeCall) => Promise<string>): Promise<string> {
  using limit = linkedSignal([call.signal], programLimits.timeMs);
  try {
    return await run(call.until(limit.signal));
  } catch (fault) {
    if (!limit.isLate || call.signal.aborted) throw fault;
    throw new SymposiumError(
      "invalid-program",
      `program: it took more than ${programLimits.timeMs / 1000} s.`,
      "Ask about less: filter with where(…) or take(…) first.",
      { cause: fault },
    );
  }
}

/** Returns the language reference, which the program `help` prints. */
function programHelp(): string {
  return [
    "A program consists of lines. `name = value` stores a value; the values of other lines are shown. `a | f(b)` is `f(a, b)`.",
    "Functions:",
    ...programFunctions.map((one) => `  ${usageOf(one)}: ${one.about}`),
    `Fields of places: ${itemFields.join(", ")}. In where, map, sort, unique, group and sum, name them alone; \`it\` is the item.`,
    'Operators: == != < <= > >= and or not + -; `file ~ "tests/*"`: contains, or matches the whole text if there is a *.',
    'Values: "text", 12, true, null, [a, b], {name, uses: count(references(it))}. `# …` is a comment.',
    "Examples:",
    '  symbols("src/shape.rs") | where(kind == "method") | map({name, uses: count(references(it))}) | sort(-uses)',
    '  references("Shape::area") | where(not file ~ "tests/*") | group(file)',
    '  symbol("main") | callees | unique(name) | take(20)',
    `Programs change nothing. At most ${programLimits.questions} questions, ${programLimits.timeMs / 1000} s.`,
  ].join("\n");
}

const maxRows = 200;
const maxCell = 160;
const maxCellItems = 6;
const maxTextLines = 400;

/** Formats a value: places by file, records as rows below their field names. */
async function showValue(call: IdeCall, value: Value): Promise<string[]> {
  if (value instanceof Item) return placeLines(call, [placeOf(value)]);
  if (value instanceof Fields) return rows(call, [value]);
  if (!isList(value)) return typeof value === "string" ? textLines(value) : [String(value)];
  if (value.length === 0) return ["nothing"];
  const shown = value.slice(0, maxRows);
  const more = value.length > shown.length ? [`… ${value.length - shown.length} more`] : [];
  if (shown.every((one) => one instanceof Item)) {
    return [counted(value.length, "place"), ...(await placeLines(call, shown.map(placeOf))), ...more];
  }
  if (shown.every((one) => one instanceof Fields)) return [...(await rows(call, shown)), ...more];
  return [...shown.flatMap((one) => (typeof one === "string" ? textLines(one) : [cell(call, one)])), ...more];
}

/** A use shows its source line, a declaration its kind and name. */
function placeOf({ parts }: Item): ShownPlace {
  const { uri, position, kind, name, container, diagnostic } = parts;
  if (diagnostic) return { uri, position, note: `${diagnostic.severity}: ${diagnostic.message.replace(/\s+/g, " ")}` };
  if (kind === undefined) return { uri, position };
  return { uri, position, note: `${kind} ${name ?? ""}${container === undefined ? "" : ` in ${container}`}` };
}

async function rows(call: IdeCall, records: readonly Fields[]): Promise<string[]> {
  const names = [...new Set(records.flatMap(({ entries }) => [...entries.keys()]))];
  const lines = records.map(({ entries }) => names.map((name) => cell(call, entries.get(name) ?? null)).join(" | "));
  return Promise.resolve([names.join(" | "), ...lines]);
}

function cell(call: IdeCall, value: Value): string {
  if (value instanceof Item) {
    const { uri, position, name } = value.parts;
    return `${name === undefined ? "" : `${name} `}${shownPlace(call, uri, position)}`;
  }
  if (value instanceof Fields) {
    return `{${[...value.entries].map(([name, one]) => `${name}: ${cell(call, one)}`).join(", ")}}`;
  }
  if (!isList(value)) return bounded(String(value ?? "").replace(/\s+/g, " "), maxCell);
  const more = value.length > maxCellItems ? `, … ${value.length - maxCellItems} more` : "";
  return (
    value
      .slice(0, maxCellItems)
      .map((one) => cell(call, one))
      .join(", ") + more
  );
}

function textLines(text: string): string[] {
  const lines = text.split("\n");
  return lines.length <= maxTextLines
    ? lines
    : [...lines.slice(0, maxTextLines), `… ${lines.length - maxTextLines} more lines`];
}
