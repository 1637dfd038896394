import { textOf, stringOf } from "../base/rpc/json.js";

export type FrontMatter = Readonly<Record<string, unknown>>;

export type RuleScope =
  | { readonly kind: "always" }
  /** Rule that applies when the session works with files that a glob matches. */
  | { readonly kind: "files"; readonly globs: readonly string[] }
  /** Rule that applies when the agent decides to read it. Only the rule's description is sent automatically. */
  | { readonly kind: "described"; readonly description: string }
  /** Rule that applies when the user names the rule file. */
  | { readonly kind: "manual" };

const always: RuleScope = { kind: "always" };

/** Keywords for a rule's scope in Cursor, Windsurf and Kiro. */
const saidBy: Readonly<Record<string, "always" | "manual">> = {
  always: "always",
  always_on: "always",
  manual: "manual",
};

/**
 * Parses the scope of a rule file from its front matter. `unsaid` is the scope if the front matter states none. Supported keys:
 * - Cursor: `alwaysApply` and `globs`
 * - Windsurf: `trigger` and `globs`
 * - Copilot: `applyTo`
 * - Claude and Cline: `paths`
 * - Kiro: `inclusion` and `fileMatchPattern`
 */
export function ruleScope(matter: FrontMatter, unsaid: "always" | "manual" = "always"): RuleScope {
  const said = saidBy[textOf(matter["trigger"] ?? matter["inclusion"])];
  if (said === "manual") return { kind: "manual" };
  if (said === "always" || matter["alwaysApply"] === true) return always;
  const globs = ["globs", "applyTo", "paths", "fileMatchPattern"].flatMap((key) => globsOf(matter[key]));
  if (globs.some((glob) => ["*", "**", "**/*"].includes(glob))) return always;
  if (globs.length > 0) return { kind: "files", globs };
  const isAsked = unsaid === "manual" || "trigger" in matter || "inclusion" in matter;
  const description = stringOf(matter["description"])?.trim() ?? "";
  if (isAsked && description !== "") return { kind: "described", description };
  return { kind: unsaid };
}

/** Reads globs from a list or a comma-separated text. Commas in braces belong to the glob. */
function globsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(globsOf);
  const text = stringOf(value)?.trim() ?? "";
  const globs: string[] = [];
  const lastBrace = text.lastIndexOf("}");
  let [from, isInBraces] = [0, false];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "{") isInBraces = at < lastBrace;
    else if (text[at] === "}") isInBraces = false;
    else if (text[at] === "," && !isInBraces) {
      globs.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...globs, text.slice(from)].map((glob) => glob.trim()).filter((glob) => glob !== "");
}
