import { textOf, stringOf } from "../base/rpc/json.js";

/** What stands between the two lines of dashes at the beginning of a file. */
export type FrontMatter = Readonly<Record<string, unknown>>;

/** When a file with rules counts. */
export type RuleScope =
  | { readonly kind: "always" }
  /** Where files are concerned that one of the globs matches. */
  | { readonly kind: "files"; readonly globs: readonly string[] }
  /** Where the agent finds that it fits; all that is said unasked is the description. */
  | { readonly kind: "described"; readonly description: string }
  /** Where the user asks for it by name. */
  | { readonly kind: "manual" };

const always: RuleScope = { kind: "always" };

/** Words of Cursor, Windsurf and Kiro. */
const saidBy: Readonly<Record<string, "always" | "manual">> = {
  always: "always",
  always_on: "always",
  manual: "manual",
};

/**
 * When the rules of a file count, by its front matter: `alwaysApply`, `globs` (Cursor, Windsurf), `applyTo` (Copilot), `paths`
 * (Claude, Cline), `trigger` (Windsurf), `inclusion` and `fileMatchPattern` (Kiro). `unsaid` is for those that say nothing.
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

/** Of a list, or of a text with commas between them, of which those in braces belong to the glob. */
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
