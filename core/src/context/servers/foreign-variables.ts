import { escapeVariables } from "./variables.js";

/**
 * How another product writes variables into its entries:
 * - `editor`: `${env:NAME}`, `${input:ID}`, `${workspaceFolder}` and the like (VS Code, Cursor, Windsurf)
 * - `braces`: `${NAME}`, `${NAME:-default}` (Claude Code)
 * - `shell`: these, and `$NAME` (Copilot)
 * - `system`: `$NAME`, `${NAME}`, `%NAME%`, where an unset one is empty (Gemini, Qwen)
 * - `curly`: `{env:NAME}` (OpenCode)
 * - `none`: everything is text
 */
export type VariableDialect = "editor" | "braces" | "shell" | "system" | "curly" | "none";

interface OwnText {
  /** In our spelling. */
  readonly text: string;
  /** What we have nothing for, as it stands there; it is kept as it was. */
  readonly unknown: readonly string[];
}

/** One pattern for each dialect; what it does not match is text. */
const patterns: Readonly<Record<Exclude<VariableDialect, "none">, RegExp>> = {
  editor: /\$\{[^{}]*\}/g,
  braces: /\$\{[A-Za-z_]\w*(?::-[^{}]*)?\}/g,
  shell: /\$\{[A-Za-z_]\w*(?::-[^{}]*)?\}|\$[A-Za-z_]\w*/g,
  system: /\$\{[A-Za-z_]\w*(?::-[^{}]*)?\}|\$[A-Za-z_]\w*|%[A-Za-z_]\w*%/g,
  curly: /\{(?:env|file):[^{}]*\}/g,
};

const editorVariable =
  /^\$\{(?:env:[^{}\s]+|input:[^{}\s:]+|workspaceFolder|workspaceFolderBasename|userHome|pathSeparator)\}$/;

/** Converts a text of another product's entry, so that it means the same in ours. */
export function toOwnVariables(text: string, dialect: VariableDialect): OwnText {
  if (dialect === "none") return { text: escapeVariables(text), unknown: [] };
  const unknown: string[] = [];
  let result = "";
  let done = 0;
  for (const match of text.matchAll(patterns[dialect])) {
    const own = toOwn(match[0], dialect);
    if (own === undefined) unknown.push(match[0]);
    // No other product has secrets of ours: one that is written there is text, whatever stands before it.
    const put = own ?? (match[0].startsWith("${secret:") ? escapeVariables(match[0]) : match[0]);
    const before = escapeVariables(text.slice(done, match.index));
    result += put.startsWith("$") ? before.replace(/(?<!\$)\$+$/, (marks) => marks + marks) : before;
    result += put;
    done = match.index + match[0].length;
  }
  return { text: result + escapeVariables(text.slice(done)), unknown };
}

/** Undefined for what we have nothing for. */
function toOwn(variable: string, dialect: VariableDialect): string | undefined {
  switch (dialect) {
    case "editor":
      if (variable === "${/}") return "${pathSeparator}";
      if (editorVariable.test(variable)) return variable;
      // VS Code leaves what is no variable of its own as it is written.
      return /[:]/.test(variable) ? undefined : escapeVariables(variable);
    case "curly": {
      const [, name] = /^\{env:([^{}]+)\}$/.exec(variable) ?? [];
      return name === undefined ? undefined : `\${env:${name}}`;
    }
    default: {
      const [, name = "", fallback = dialect === "system" ? "" : undefined] =
        /(\w+)(?::-([^{}]*))?/.exec(variable) ?? [];
      return fallback === undefined ? `\${env:${name}}` : `\${env:${name}:-${fallback}}`;
    }
  }
}
