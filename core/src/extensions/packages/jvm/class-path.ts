import type { Coordinates } from "./artifact-stores.js";
import type { MavenModels, ModelDependency } from "./maven-models.js";
import { keyOf } from "./maven-models.js";

/** An artifact that a project gets, at the one version that it gets. */
export interface ResolvedArtifact extends Coordinates {
  /** Who asks for it, the nearest first, as `group:artifact`; empty where the project does. */
  readonly path: readonly string[];
  /** The file that says the version. */
  readonly saidBy: string;
  readonly scope: string;
}

export interface ClassPath {
  readonly artifacts: ReadonlyMap<string, ResolvedArtifact>;
  /** What is not on this machine, so that more may belong to it. */
  readonly missing: readonly string[];
}

/** How one version is chosen of several that are asked for. */
type Choice = (now: ResolvedArtifact, other: string) => boolean;

interface Wish extends ModelDependency {
  readonly path: readonly string[];
  readonly excluded: readonly string[];
}

const maxArtifacts = 3_000;

/**
 * All artifacts that a project gets, from what it asks for and what that asks for in turn, nearest first. `isBetter` says
 * whether another version replaces one that was found nearer: Maven's never does, Gradle's newest does.
 */
export async function resolveClassPath(
  models: MavenModels,
  wishes: readonly ModelDependency[],
  managed: ReadonlyMap<string, ModelDependency>,
  isBetter: Choice,
): Promise<ClassPath> {
  const found = new Map<string, ResolvedArtifact>();
  const missing: string[] = [];
  let level: Wish[] = wishes.map((one) => ({ ...one, path: [], excluded: one.exclusions }));
  while (level.length > 0 && found.size < maxArtifacts) {
    const next: Wish[] = [];
    for (const wish of level) {
      const key = keyOf(wish);
      if (/^(?:pom|test-jar)$/.test(wish.type ?? "jar") && wish.path.length > 0) continue;
      if (wish.version === undefined) {
        missing.push(key);
        continue;
      }
      const version = await models.chosen(wish.group, wish.artifact, wish.version);
      const now = found.get(key);
      if (now && !isBetter(now, version)) continue;
      const { group, artifact, path, saidBy, scope = "compile" } = wish;
      found.set(key, { group, artifact, version, path: now?.path ?? path, saidBy, scope });
      const model = await models.stored(group, artifact, version);
      if (!model) {
        missing.push(`${key}:${version}`);
        continue;
      }
      for (const one of model.dependencies) {
        if (one.isOptional || /^(?:test|provided|system|import)$/.test(one.scope ?? "")) continue;
        if (wish.excluded.some((pattern) => isExcluded(pattern, one))) continue;
        const forced = managed.get(keyOf(one));
        next.push({
          ...one,
          ...(forced?.version !== undefined && { version: forced.version, saidBy: forced.saidBy }),
          path: [key, ...path],
          excluded: [...wish.excluded, ...one.exclusions, ...(forced?.exclusions ?? [])],
        });
      }
    }
    level = next;
  }
  return { artifacts: found, missing: [...new Set(missing)] };
}

function isExcluded(pattern: string, { group, artifact }: ModelDependency): boolean {
  const [ofGroup, ofArtifact] = pattern.split(":");
  return (ofGroup === "*" || ofGroup === group) && (ofArtifact === "*" || ofArtifact === artifact);
}
