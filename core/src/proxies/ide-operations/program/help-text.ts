import { programFunctions } from "./functions.js";
import { programLimits } from "./budget.js";
import { usageOf } from "./evaluate.js";
import { itemFields } from "./value.js";

/** The language on one page: what the program `help` answers. */
export function programHelp(): string {
  return [
    "A program is lines. `name = value` keeps a value; the values of other lines are shown. `a | f(b)` is `f(a, b)`.",
    "Functions:",
    ...programFunctions.map((one) => `  ${usageOf(one)}: ${one.about}`),
    `Fields of places: ${itemFields.join(", ")}. In where, map, sort, unique, group and sum, name them alone; \`it\` is the item.`,
    'Signs: == != < <= > >= and or not + -; `file ~ "tests/*"`: contains, or all of it where there is a *.',
    'Values: "text", 12, true, null, [a, b], {name, uses: count(references(it))}. `# …` is a comment.',
    "Examples:",
    '  symbols("src/shape.rs") | where(kind == "method") | map({name, uses: count(references(it))}) | sort(-uses)',
    '  references("Shape::area") | where(not file ~ "tests/*") | group(file)',
    '  symbol("main") | callees | unique(name) | take(20)',
    `Programs change nothing. At most ${programLimits.questions} questions, ${programLimits.timeMs / 1000} s.`,
  ].join("\n");
}
