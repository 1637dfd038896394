import * as l10n from "@vscode/l10n";
import { whatRuns } from "@symposium-dev/core";
import * as z from "zod/mini";
import type { RecommendationEntry } from "../../../protocol/index.js";
import { type SubcommandRunner, trustWords } from "../agents/subcommand-runner.js";
import type { ChainExtension } from "../settings/extensions-setting.js";

const offersSchema = z.array(
  z.looseObject({
    id: z.string(),
    source: z.record(z.string(), z.string()),
    title: z.string(),
    reasons: z.array(z.string()),
    from: z.optional(z.array(z.string())),
    alreadyEnabled: z.boolean(),
    distribution: z.optional(z.record(z.string(), z.unknown())),
    kind: z.optional(z.string()),
    skills: z.optional(z.array(z.object({ name: z.string(), description: z.string() }))),
    digest: z.optional(z.string()),
  }),
);

export interface RecommendedExtension {
  readonly id: string;
  readonly title: string;
  readonly reasons: readonly string[];
  /** Command name or source of the recommended extension, e.g. `crate foo`, and the file that recommends it. */
  readonly origin: string;
  readonly distribution?: Readonly<Record<string, unknown>>;
  readonly skills?: PackageSkills;
}

export interface PackageSkills {
  /** Package key, such as `npm:my-library`. */
  readonly key: string;
  readonly digest: string;
  readonly lines: readonly string[];
}

/** Returns the recommendations for a folder's workspace. Neither enables nor installs anything. */
export async function recommendationsFor(
  commandLine: SubcommandRunner,
  folder: string,
): Promise<RecommendedExtension[]> {
  const words = ["recommendations", "list", "--json", ...trustWords([folder])];
  const offers = await commandLine.json(words, offersSchema, { cwd: folder });
  return offers
    .filter(({ alreadyEnabled }) => !alreadyEnabled)
    .map(({ id, title, reasons, source, distribution, from = [], kind, skills = [], digest = "" }) => ({
      // Include the digest in the id, so that changed skills are recommended again after a dismissal.
      id: kind === "skills" ? `${id} ${digest}` : id,
      title,
      reasons,
      origin: `${(distribution && whatRuns(JSON.stringify({ id, distribution }))) ?? wordsOf(source)}${from.length === 0 ? "" : l10n.t(", as {0} says,", from.join(" and "))}`,
      ...(distribution === undefined ? {} : { distribution }),
      ...(kind === "skills" && {
        skills: { key: id, digest, lines: skills.map(({ name, description }) => `${name}: ${description}`) },
      }),
    }));
}

/** Stores the user's consent to these skills, unless the skills changed since they were shown. */
export async function allowSkills(
  commandLine: SubcommandRunner,
  folder: string,
  { key, digest }: PackageSkills,
): Promise<void> {
  await commandLine.run(["recommendations", "allow", key, "--digest", digest], { cwd: folder });
}

function wordsOf(source: Readonly<Record<string, string>>): string {
  return Object.entries(source)
    .map(([kind, name]) => `${kind} ${name}`)
    .join(", ");
}

export function openRecommendations(
  recommended: readonly RecommendedExtension[],
  extensions: readonly ChainExtension[],
  dismissed: readonly string[],
): RecommendationEntry[] {
  return recommended
    .filter(({ id }) => !extensions.some((extension) => extension.id === id) && !dismissed.includes(id))
    .map(({ id, title, reasons, origin, skills }) => ({
      id,
      name: title,
      reason: l10n.t("Recommended because {0}.", reasons.join("; ")),
      consent:
        skills === undefined
          ? l10n.t("Adding it installs and runs {0} with the next session.", origin)
          : l10n.t(
              "Adding them lets every agent in your projects read and follow them, and run their contents, from the next session: ",
            ) + skills.lines.join(" "),
    }));
}

export function chainEntryOf({ id, distribution }: RecommendedExtension): Readonly<Record<string, unknown>> {
  const source = distribution === undefined ? "registry" : "custom";
  return { id, _enabled: true, _source: source, ...(distribution === undefined ? {} : { distribution }) };
}
