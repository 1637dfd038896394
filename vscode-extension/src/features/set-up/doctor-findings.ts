import * as l10n from "@vscode/l10n";
import * as z from "zod/mini";
import type { Remedy } from "./remedy.js";

export interface CheckedFact {
  readonly about: string;
  readonly status: "ok" | "warn" | "fail";
  readonly text: string;
  readonly remedy?: string;
  readonly remedies: readonly Remedy[];
  /** True if only some agents and extensions need the checked program. */
  readonly isOptional?: boolean;
}

export const doctorSchema = z.array(
  z.looseObject({
    check: z.string(),
    status: z.enum(["ok", "warn", "fail"]),
    text: z.string(),
    remedy: z.optional(z.string()),
    missing: z.optional(z.string()),
    website: z.optional(z.string()),
  }),
);
type DoctorFinding = z.infer<typeof doctorSchema>[number];

const names = (): Readonly<Record<string, string>> => ({
  node: "Node.js",
  config: "config.jsonc",
  agent: l10n.t("Agent:"),
  program: l10n.t("The agent's program:"),
  initialize: l10n.t("The agent identifies itself as"),
  "sign-in": l10n.t("Ways to sign in:"),
  session: l10n.t("A session with the agent:"),
  end: l10n.t("The agent's exit:"),
});

interface DoctorContext {
  readonly agentId?: string;
  /** True if the settings allow starting language servers that are installed on this machine. */
  readonly startsLanguageServers: boolean;
}

export function doctorFacts(findings: readonly DoctorFinding[], context: DoctorContext): CheckedFact[] {
  return findings
    .filter(({ missing }) => missing !== "language-server" || context.startsLanguageServers)
    .map((finding) => doctorFact(finding, context));
}

function doctorFact(
  { check, status, text, remedy, missing, website }: DoctorFinding,
  { agentId }: DoctorContext,
): CheckedFact {
  const fact = { about: names()[check] ?? check, status, text };
  if (missing === "sign-in" && agentId !== undefined) {
    return {
      ...fact,
      remedy: l10n.t("Open a chat with it to see the ways to sign in."),
      remedies: [{ kind: "sign-in", agentId }],
    };
  }
  if (missing === "approval") return { ...fact, remedies: [{ kind: "allow-project" }] };
  const isForTerminals = remedy?.includes("symposium-acp-agent") === true;
  return {
    ...fact,
    ...(remedy === undefined || isForTerminals ? {} : { remedy }),
    ...(missing === "tool" || missing === "language-server" ? { isOptional: true } : {}),
    remedies: [
      ...(website === undefined ? [] : [{ kind: "open-website", address: website } as const]),
      ...(status === "fail" ? [{ kind: "show-log" } as const] : []),
    ],
  };
}
