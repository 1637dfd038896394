import { asObject, type Members } from "../../base/rpc/json.js";

/** What a user's rules deny, by subject, as patterns of guard.jsonc. */
export interface Denials {
  readonly command: readonly string[];
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly host: readonly string[];
  readonly mcp: readonly string[];
}

/** How an agent takes denials that its own modes do not lift, for the process or the session that we open. */
export type NativeRules =
  | {
      readonly kind: "session";
      /** Where the parameters that open a session have them. */
      readonly at: readonly [string, ...string[]];
      /** What stands there then; all that it denied before, it denies still. */
      readonly members: (own: Members, denied: Denials) => Members;
    }
  | { readonly kind: "arguments"; readonly words: (denied: Denials) => readonly string[] }
  /** `name` is that of the file, which is written beside the record of the rules. */
  | {
      readonly kind: "file";
      readonly name: string;
      readonly option: string;
      readonly content: (denied: Denials) => string;
    }
  /** It asks a program of ours before each command, where a variable with a JSON object has that among its hooks. */
  | { readonly kind: "hook"; readonly variable: string }
  | {
      readonly kind: "config";
      /** A variable with a JSON object: what is in it of the user's own stays. */
      readonly variable: string;
      readonly members: (own: Members, denied: Denials) => Members;
    };

/** Settings that count more than those of users and projects. */
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
  // It knows a program and its first word.
  words: ({ command }) =>
    plainWords(command)
      .filter((words) => words.split(" ").length <= 2)
      .map((words) => `--deny-tool=shell(${words})`),
};

/** Its own files of rules are the user's, or the project's; `-c` takes none. */
export const codexRules: NativeRules = { kind: "hook", variable: "CODEX_CONFIG" };

export const qwenRules: NativeRules = {
  kind: "arguments",
  // A word for each: one word with several would be split at commas.
  words: ({ command }) => plainWords(command).map((words) => `--exclude-tools=run_shell_command(${words})`),
};

export const opencodeRules: NativeRules = {
  kind: "config",
  variable: "OPENCODE_CONFIG_CONTENT",
  members(own, { command }) {
    const given = own["permission"];
    // One word stands for every tool.
    const permission = typeof given === "string" ? { "*": given } : (asObject(given) ?? {});
    const bash = permission["bash"];
    const others = typeof bash === "string" ? { "*": bash } : (asObject(bash) ?? {});
    const patterns = plainWords(command).flatMap((words) => [words, `${words} *`]);
    const denied = Object.fromEntries(patterns.map((pattern) => [pattern, "deny"]));
    // The last one that matches counts.
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

/** Names stand anywhere; paths begin at the session's folder, at the user's or at the disk's root. */
function claudePath(pattern: string): string {
  if (pattern.startsWith("//") || pattern.startsWith("~/") || pattern.startsWith("**/")) return pattern;
  if (!pattern.replace(/\/$/, "").includes("/")) return `**/${pattern}`;
  return `./${pattern.replace(/^\.?\//, "")}`;
}

/** Commands that are a program and its first words: what else a pattern says, agents would read in another way. */
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
