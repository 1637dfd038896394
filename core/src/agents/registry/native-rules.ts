import { asObject, type Members } from "../../base/rpc/json.js";

export interface Denials {
  readonly command: readonly string[];
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly host: readonly string[];
  readonly mcp: readonly string[];
}

/** Mechanism for giving an agent denials that its own modes don't override, for one process or session. */
export type NativeRules =
  | {
      readonly kind: "session";
      readonly at: readonly [string, ...string[]];
      readonly members: (own: Members, denied: Denials) => Members;
    }
  | { readonly kind: "arguments"; readonly words: (denied: Denials) => readonly string[] }
  /** Rules file, passed to the agent by an option. The file is called `name` and written next to the rules record. */
  | {
      readonly kind: "file";
      readonly name: string;
      readonly option: string;
      readonly content: (denied: Denials) => string;
    }
  /** The agent runs a Symposium hook before each command; the variable's JSON object registers the hook. */
  | { readonly kind: "hook"; readonly variable: string }
  | {
      readonly kind: "config";
      /** Environment variable with a JSON object. The user's members are preserved. */
      readonly variable: string;
      readonly members: (own: Members, denied: Denials) => Members;
    };

/** Managed settings override user and project settings. */
export const claudeRules: NativeRules = {
  kind: "session",
  at: ["_meta", "claudeCode", "options", "managedSettings"],
  members(own, denied) {
    const permissions = asObject(own["permissions"]);
    const before: readonly unknown[] = Array.isArray(permissions?.["deny"]) ? permissions["deny"] : [];
    return { ...own, permissions: { ...permissions, deny: [...new Set([...before, ...claudeDenials(denied)])] } };
  },
};

export const geminiRules: NativeRules = {
  kind: "file",
  name: "gemini-policy.toml",
  option: "--admin-policy",
  content: ({ command }) =>
    plainWords(command)
      .map(
        (words) =>
          `[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = ${JSON.stringify(words)}\ndecision = "deny"\npriority = 999\n`,
      )
      .join("\n"),
};

export const copilotRules: NativeRules = {
  kind: "arguments",
  // The `--deny-tool` option supports only a program and its first argument.
  words: ({ command }) =>
    plainWords(command)
      .filter((words) => words.split(" ").length <= 2)
      .map((words) => `--deny-tool=shell(${words})`),
};

/** Codex reads rule files only from the user and project, not from `-c`, so it needs a hook. */
export const codexRules: NativeRules = { kind: "hook", variable: "CODEX_CONFIG" };

export const qwenRules: NativeRules = {
  kind: "arguments",
  // Pass one argument per command, because the agent splits a combined argument at commas.
  words: ({ command }) => plainWords(command).map((words) => `--exclude-tools=run_shell_command(${words})`),
};

export const opencodeRules: NativeRules = {
  kind: "config",
  variable: "OPENCODE_CONFIG_CONTENT",
  members(own, { command }) {
    const given = own["permission"];
    // A user's plain string applies to all tools.
    const permission = typeof given === "string" ? { "*": given } : (asObject(given) ?? {});
    const bash = permission["bash"];
    const others = typeof bash === "string" ? { "*": bash } : (asObject(bash) ?? {});
    const patterns = plainWords(command).flatMap((words) => [words, `${words} *`]);
    const denied = Object.fromEntries(patterns.map((pattern) => [pattern, "deny"]));
    // The last matching rule wins, so denials come last.
    const kept = Object.entries(others).filter(([pattern]) => !(pattern in denied));
    return { permission: { ...permission, bash: { ...Object.fromEntries(kept), ...denied } } };
  },
};

function claudeDenials({ command, read, write, host, mcp }: Denials): readonly string[] {
  const commands = plainWords(command).flatMap((words) => [`Bash(${words})`, `Bash(${words} *)`]);
  const paths = (tool: string, patterns: readonly string[]): readonly string[] =>
    patterns.filter((pattern) => !/[{}()\\]/.test(pattern)).map((pattern) => `${tool}(${claudePath(pattern)})`);
  const hosts = host.filter((name) => !/[:[\]]/.test(name)).map((name) => `WebFetch(domain:${name})`);
  const tools = mcp.flatMap((pattern) => {
    const [, server = "", tool = ""] = /^([\w-]+)\/([\w-]+|\*)$/.exec(pattern) ?? [];
    if (server === "") return [];
    return tool === "*" ? [`mcp__${server}`] : [`mcp__${server}__${tool}`];
  });
  return [...commands, ...paths("Read", read), ...paths("Edit", write), ...hosts, ...tools];
}

/**
 * Converts a path pattern to Claude's syntax: names match anywhere; paths are relative to the session's folder, the home folder or the
 * root.
 */
function claudePath(pattern: string): string {
  if (pattern.startsWith("//") || pattern.startsWith("~/") || pattern.startsWith("**/")) return pattern;
  if (!pattern.replace(/\/$/, "").includes("/")) return `**/${pattern}`;
  return `./${pattern.replace(/^\.?\//, "")}`;
}

function plainWords(patterns: readonly string[]): readonly string[] {
  return patterns
    .map((pattern) =>
      pattern
        .trim()
        .replace(/\s+\*$/, "")
        .replace(/\s+/g, " "),
    )
    .filter((pattern) => pattern.split(" ").every((word) => /^[\w./@:+][\w./@:+-]*$/.test(word)));
}
