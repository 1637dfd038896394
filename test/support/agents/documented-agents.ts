import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../repository.js";

/** Agents' names on documentation pages, by recipe name. */
const pageNames: Readonly<Record<string, string>> = {
  claude: "Claude Code",
  codex: "Codex",
  opencode: "OpenCode",
  gemini: "Gemini CLI",
  qwen: "Qwen Code",
  copilot: "GitHub Copilot CLI",
};

/** The cells of an agent's row in the table below a heading of second rank of a page in `docs`; none where there is no such row. */
export function documentedCells(page: string, heading: string, recipeName: string): readonly string[] {
  const text = readFileSync(join(repositoryRoot, "docs", page), "utf8");
  const [, section = ""] = text.split(`\n## ${heading}\n`);
  const lines = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("|"));
  const rows = lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return rows.find(([name]) => name === pageNames[recipeName])?.slice(1) ?? [];
}
