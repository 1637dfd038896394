import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import { invalidArguments } from "../../../base/symposium-error.js";
import type { ProtectionLevel } from "../../../base/safety/protection-level.js";
import { type Budget, budgetFigures } from "../../../guard/budget.js";
import { ProtectionLevels } from "../../../guard/node/protection-levels.js";
import type { RunLimits } from "../../../guard/node/rule-and-budget-proxies.js";
import type { Component } from "../../../settings/component-spec.js";
import type { OptionDeclarations, OptionValues } from "../options.js";

/** `chat PROMPT` sends a single prompt, which is one turn, so a budget for turns would be useless. */
const figures = budgetFigures.filter((figure) => figure !== "turns");

/** Options of `chat` for runs without a user. */
export const unattendedOptions = {
  output: {
    value: "text|json|jsonl",
    choices: ["text", "json", "jsonl"],
    about: "json prints the result as one line, and jsonl every event as one line; nobody is asked. Default: text",
  },
  permissions: {
    value: "deny|rules|sandbox",
    choices: ["deny", "rules", "sandbox"],
    about:
      "ask nobody. deny refuses all permission requests and file writes through Symposium. rules allows the requests " +
      "that guard.jsonc allows. sandbox runs the agent in the sandbox, and also allows requests that the sandbox confines",
  },
  budget: {
    value: "LIMITS",
    about: `stop the turn at a limit, such as dollars=2,minutes=10. Limits: ${figures.join(", ")}`,
  },
  "max-turns": {
    value: "N",
    isCount: true,
    about: "stop the agent after N replies of its model, each with its tool calls",
  },
  timeout: { value: "SECONDS", mostSeconds: 7 * 24 * 60 * 60, about: "cancel the turn after this time" },
  "prompt-file": { value: "FILE", about: "read the prompt from FILE, or from stdin with -, and append it to PROMPT" },
} as const satisfies OptionDeclarations;

type Values = OptionValues<typeof unattendedOptions>;
type Permissions = NonNullable<Values["permissions"]>;

/** Options of a run without a user to ask. */
export interface Unattended {
  readonly output: NonNullable<Values["output"]>;
  readonly permissions: Permissions | undefined;
  readonly timeoutMs: number | undefined;
  /** Maximum number of the agent's turns; a turn is one reply of the model with its tool calls. */
  readonly maxTurns: number | undefined;
  readonly budgets: readonly Budget[];
}

/** Parses the options; undefined if no option requests an unattended run. Throws `invalid-arguments`. */
export function unattendedOf(values: Values): Unattended | undefined {
  const { output = "text", permissions, budget, timeout: timeoutMs, "max-turns": maxTurns } = values;
  const budgets = budget === undefined ? [] : budgetsOf(budget);
  const isAsked = output !== "text" || [permissions, budget, timeoutMs, maxTurns].some((value) => value !== undefined);
  return isAsked ? { output, permissions, timeoutMs, maxTurns, budgets } : undefined;
}

/** Returns the prompt: the words, then the text of `--prompt-file`. Reads stdin if `readsInput` and nothing else is given. */
export async function promptOf(
  words: readonly string[],
  file: string | undefined,
  readsInput: boolean,
): Promise<string | undefined> {
  const source = file ?? (readsInput && words.length === 0 ? "-" : undefined);
  if (source === undefined) return words.length === 0 ? undefined : words.join(" ");
  if (source === "-" && process.stdin.isTTY)
    throw invalidArguments("There is no prompt.", "Give one, or pipe it to stdin.");
  const read = source === "-" ? await readAll(process.stdin) : await textOf(source);
  const prompt = [words.join(" "), read].filter((part) => part.trim() !== "").join("\n\n");
  if (prompt === "") throw invalidArguments("The prompt is empty.", "Give a prompt.");
  return prompt;
}

/** Returns the protection level to start the agent with, which is never lower than the level that the user configured. */
export async function levelOf(
  wanted: Permissions,
  agent: Component,
  configured: ProtectionLevel,
): Promise<ProtectionLevel> {
  if (wanted === "sandbox") return "sandbox";
  return (await ProtectionLevels.read(configured)).of(agent) === "sandbox" ? "sandbox" : "rules";
}

export function limitsOf({ permissions: wanted, budgets }: Unattended): RunLimits {
  return { allows: wanted === "deny" ? "nothing" : wanted === "rules" ? "rules" : "all", budgets };
}

function budgetsOf(word: string): readonly Budget[] {
  const seen = new Set<string>();
  return word.split(",").map((part) => {
    const [name, amount = "", ...rest] = part.trim().split("=");
    const figure = figures.find((one) => one === name);
    const limit = Number(amount);
    if (!figure || rest.length > 0 || !(limit > 0 && limit < Infinity) || seen.has(figure)) {
      throw invalidArguments(
        `--budget ${word} isn't valid.`,
        `Give each limit once, such as ${figures.join("=5,")}=5.`,
      );
    }
    seen.add(figure);
    return { scope: "session", figure, limit, place: "--budget" };
  });
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const reason = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    throw invalidArguments(`--prompt-file ${file} can't be read: ${reason}.`, "Give a readable file, or - for stdin.");
  }
}
