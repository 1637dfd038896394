import { escapeVariables } from "./variables.js";

/**
 * Variable syntax in another product's entries:
 * - `editor`: `${env:NAME}`, `${input:ID}`, `${workspaceFolder}` and others (VS Code, Cursor, Windsurf)
 * - `braces`: `${NAME}`, `${NAME:-default}` (Claude Code)
 * - `shell`: as `braces`, and `$NAME` (Copilot)
 * - `system`: `$NAME`, `${NAME}`, `%NAME%`; an unset variable is empty (Gemini, Qwen)
 * - `curly`: `{env:NAME}` (OpenCode)
 * - `none`: no variables
 */
export type VariableDialect = "editor" | "braces" | "shell" | "system" | "curly" | "none";

interface OwnText {
  /** Text in which variables have the syntax of config.jsonc. */
  readonly text: string;
  /** Variables without an equivalent in config.jsonc; `text` contains them unmodified. */
  readonly unknown: readonly string[];
}

const patterns: Readonly<Record<Exclude<VariableDialect, "none">, RegExp>> = {
  editor: /\$\{[^{}]*\}/g,
  braces: /\$\{[A-Za-z_]\w*(?::-[^{}]*)?\}/g,
  shell: /\$\{[A-Za-z_]\w*(?::-[^{}]*)?\}|\$[A-Za-z_]\w*/g,
  system: /\$\{[A-Za-z_]\w*(?::-[^{}]*)?\}|\$[A-Za-z_]\w*|%[A-Za-z_]\w*%/g,
  curly: /\{(?:env|file):[^{}]*\}/g,
};

const editorVariable =
  /^\$\{(?:env:[^{}\s]+|input:[^{}\s:]+|workspaceFolder|workspaceFolderBasename|userHome|pathSeparator)\}$/;

/** Converts the variables in another product's entry to equivalent variables in the syntax of config.jsonc. */
export function toOwnVariables(text: string, dialect: VariableDialect): OwnText {
  if (dialect === "none") return { text: escapeVariables(text), unknown: [] };
  const unknown: string[] = [];
  let result = "";
  let done = 0;
  for (const match of text.matchAll(patterns[dialect])) {
    const own = toOwn(match[0], dialect);
    if (own === undefined) unknown.push(match[0]);
    // `${secret:…}` is escaped, since other products can't refer to Symposium's secrets.
    const put = own ?? (match[0].startsWith("${secret:") ? escapeVariables(match[0]) : match[0]);
    const before = escapeVariables(text.slice(done, match.index));
    result += put.startsWith("$") ? before.replace(/(?<!\$)\$+$/, (marks) => marks + marks) : before;
    result += put;
    done = match.index + match[0].length;
  }
  return { text: result + escapeVariables(text.slice(done)), unknown };
}

function toOwn(variable: string, dialect: VariableDialect): string | undefined {
  switch (dialect) {
    case "editor":
      if (variable === "${/}") return "${pathSeparator}";
      if (editorVariable.test(variable)) return variable;
      // VS Code leaves unknown variables as literal text.
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
