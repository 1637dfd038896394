import { timestamp } from "./notebook-entries.js";

/** Name of the checkpoint folder in `.sparkle-space`. */
export const checkpointFolder = "checkpoints";

const checkpointName = /^checkpoint-[\w.-]+\.md$/;

/** Returns the names that are checkpoint names, newest first. */
export function checkpointNames(names: readonly string[]): string[] {
  return names.filter((name) => checkpointName.test(name)).sort((a, b) => compare(sortKey(b), sortKey(a)));
}

/** Returns an unused checkpoint name. Sorting checkpoint names sorts them by time. */
export function newCheckpointName(savedAt: Date, taken: readonly string[]): string {
  const stem = `checkpoint-${timestamp(savedAt).replaceAll(":", "-")}`;
  let name = `${stem}.md`;
  for (let number = 2; taken.includes(name); number++) name = `${stem}.${number}.md`;
  return name;
}

/** Returns a checkpoint's text. Includes the working memory, so that the checkpoint alone is enough to continue the work. */
export function checkpointText(savedAt: Date, content: string, workingMemory: unknown): string {
  const memory = JSON.stringify(workingMemory, null, 2);
  return `# Checkpoint ${timestamp(savedAt)}\n\n${content.trim()}\n\n## Working memory\n\n\`\`\`json\n${memory}\n\`\`\`\n`;
}

/**
 * Returns the key by which a checkpoint name is sorted. If several checkpoints were saved in the same second, all except the first have a
 * number.
 */
function sortKey(name: string): string {
  const [, stem = name, number = "1"] = /^(.*?Z)(?:\.(\d+))?\.md$/.exec(name) ?? [];
  return `${stem} ${number.padStart(6, "0")}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
