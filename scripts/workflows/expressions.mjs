import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expressionsFolder } from "../release/release-tools.mjs";

const names = ["github", "env", "vars", "job", "steps", "runner", "secrets", "strategy", "matrix", "needs", "inputs"];
const statusFunctions = ["success", "failure", "always", "cancelled"];
const whole = /^\$\{\{((?:(?!\}\}).)*)\}\}$/s;
const parts = /\$\{\{((?:(?!\}\}).)*)\}\}/gs;

/**
 * Loads an evaluator of workflow expressions. `fill` puts values into a text or a tree of texts; `isMet` evaluates an `if`. Both take the
 * contexts by name. The context `hasFailed` is true if an earlier step or job failed.
 */
export async function loadExpressions() {
  const library = join(await expressionsFolder(), "dist/index.js");
  const { data, Evaluator, Lexer, Parser } = await import(pathToFileURL(library).href);
  return { fill, isMet };

  function fill(value, contexts) {
    if (Array.isArray(value)) return value.map((item) => fill(item, contexts));
    if (value !== null && typeof value === "object")
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fill(item, contexts)]));
    if (typeof value !== "string") return value;
    const [, only] = whole.exec(value.trim()) ?? [];
    if (only !== undefined) return plain(evaluate(only, contexts));
    return value.replace(parts, (_, expression) => evaluate(expression, contexts).coerceString());
  }

  function isMet(condition, contexts) {
    const text = String(condition ?? "success()").trim();
    const expression = whole.exec(text)?.[1] ?? text;
    const asksStatus = statusFunctions.some((name) => new RegExp(`\\b${name}\\s*\\(`).test(expression));
    if (!asksStatus && contexts.hasFailed === true) return false;
    return isTruthy(evaluate(expression, contexts));
  }

  function evaluate(expression, { hasFailed = false, ...contexts }) {
    const functions = statusFunctions.map((name) => ({
      name,
      minArgs: 0,
      maxArgs: 0,
      call: () =>
        new data.BooleanData({ success: !hasFailed, failure: hasFailed, always: true, cancelled: false }[name]),
    }));
    const { tokens } = new Lexer(expression).lex();
    const tree = new Parser(tokens, names, functions).parse();
    const known = Object.fromEntries(names.map((name) => [name, contexts[name] ?? {}]));
    const dictionary = JSON.parse(JSON.stringify(known), data.reviver);
    return new Evaluator(tree, dictionary, new Map(functions.map((item) => [item.name, item]))).evaluate();
  }

  function plain(value) {
    return JSON.parse(JSON.stringify(value, data.replacer));
  }

  function isTruthy(value) {
    return ![false, 0, "", null].includes(plain(value));
  }
}
