import type { Coordinates } from "./artifact-stores.js";
import type { MavenModels, ModelDependency } from "./maven-models.js";
import { keyOf } from "./maven-models.js";

/** An artifact of a project at its selected version. */
export interface ResolvedArtifact extends Coordinates {
  /** Chain of dependents as `group:artifact`, nearest first; empty for a direct dependency. */
  readonly path: readonly string[];
  /** File that determines the version. */
  readonly saidBy: string;
  readonly scope: string;
}

export interface ClassPath {
  readonly artifacts: ReadonlyMap<string, ResolvedArtifact>;
  /** Artifacts that aren't on this machine; their dependencies are unknown. */
  readonly missing: readonly string[];
}

/** Whether a version replaces the one selected so far. */
type Choice = (now: ResolvedArtifact, other: string) => boolean;

interface Wish extends ModelDependency {
  readonly path: readonly string[];
  readonly excluded: readonly string[];
}

const maxArtifacts = 3_000;

/**
 * Resolves all artifacts of a project, breadth first from its direct dependencies. `isBetter` decides whether another version replaces one
 * found nearer: never for Maven, if newer for Gradle.
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
