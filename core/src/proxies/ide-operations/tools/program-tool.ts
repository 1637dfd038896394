import { linkedSignal } from "../../../base/linked-signal.js";
import { SymposiumError } from "../../../base/symposium-error.js";
import type { IdeCall } from "../ide-call.js";
import { programLimits } from "../program/budget.js";
import { Evaluation } from "../program/evaluate.js";
import { programHelp } from "../program/help-text.js";
import { parseProgram } from "../program/parse-program.js";
import { ProgramFault } from "../program/program-error.js";
import { showValue } from "../program/show-value.js";
import { counted } from "../text/bounded.js";
import { stateMark } from "../text/state-mark.js";
import type { IdeToolEntry } from "./ide-tool.js";

const maxOutput = 24_000;

/** Runs a program over the same questions: one call for what would take many. */
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

/** Ends a program that takes too long, whatever it waits for. */
async function inTime(call: IdeCall, run: (call: IdeCall) => Promise<string>): Promise<string> {
  const time = new AbortController();
  const timer = setTimeout(() => time.abort(), programLimits.timeMs);
  const linked = linkedSignal([call.signal, time.signal]);
  try {
    return await run(call.until(linked.signal));
  } catch (fault) {
    if (!time.signal.aborted || call.signal.aborted) throw fault;
    throw new SymposiumError(
      "invalid-program",
      `program: it took more than ${programLimits.timeMs / 1000} s.`,
      "Ask about less: filter with where(…) or take(…) first.",
      { cause: fault },
    );
  } finally {
    clearTimeout(timer);
    linked.release();
  }
}
