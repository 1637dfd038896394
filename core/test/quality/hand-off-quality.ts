import { type Recall, recalls } from "./hand-off-recall.js";
import { tableOf } from "./text-table.js";

/** What is wanted of each conversation: facts of ten, and tokens at most. */
const wanted = { byDocument: 6, byLookUp: 9, tokens: 6_000 };

/** Which recalls are not as wanted, in a sentence each. */
export function shortfalls(found: readonly Recall[]): readonly string[] {
  return found.flatMap(({ name, byDocument, byLookUp, tokens, missing }) => [
    ...(byDocument < wanted.byDocument ? [`${name}: the document has ${byDocument} of 10`] : []),
    ...(byLookUp < wanted.byLookUp ? [`${name}: with look-ups ${byLookUp} of 10, without ${missing.join(", ")}`] : []),
    ...(tokens > wanted.tokens ? [`${name}: ${tokens} tokens`] : []),
  ]);
}

/** The table that `npm run quality` prints. */
function recallTable(found: readonly Recall[]): string {
  return tableOf([
    ["conversation", "turns", "recorded KB", "tokens", "document", "with look-ups", "missing"],
    ...found.map(({ name, turns, recorded, tokens, byDocument, byLookUp, missing }) => [
      name,
      String(turns),
      (recorded / 1_000).toFixed(1),
      String(tokens),
      `${byDocument} of 10`,
      `${byLookUp} of 10`,
      missing.join(", "),
    ]),
  ]);
}

if (process.argv[1]?.endsWith("hand-off-quality.js") === true) {
  const found = await recalls();
  const problems = shortfalls(found);
  process.stdout.write(`${recallTable(found)}\n${problems.map((problem) => `✘ ${problem}\n`).join("")}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
