/** The mode in which each agent runs most tools without a question. Claude refuses its mode to root. */
export const widestModes: Readonly<Record<string, string | undefined>> = {
  gemini: "yolo",
  claude: process.getuid?.() === 0 ? undefined : "bypassPermissions",
  codex: "agent-full-access",
  qwen: "yolo",
};
