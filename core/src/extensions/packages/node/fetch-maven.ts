import { mkdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { temporaryFolder } from "../../../base/node/temporary-folder.js";
import { ArtifactStores } from "../jvm/artifact-stores.js";
import { isCoordinate } from "../jvm/pom.js";
import { packageFault } from "../package-reader.js";
import { DiskFiles } from "./disk-files.js";
import { type Fetched, type FetchOptions, type FetchWish, runClient } from "./fetch-client.js";

/** Pinned, since the plugin version that Maven uses by default may have other options. */
const plugin = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:get";

/**
 * Downloads an artifact's sources with Maven to its local repository. Runs in an empty folder, so that no project's plugins run; the user's
 * settings, mirrors and credentials apply. Rejects ambiguous names and versions before the start.
 */
export async function fetchFromMaven(
  { name, version }: FetchWish,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<Fetched> {
  const [group = "", artifact = "", ...more] = name.split(":");
  if (more.length > 0 || ![group, artifact].every(isCoordinate)) {
    throw packageFault(
      `${JSON.stringify(name.slice(0, 200))} isn't an artifact.`,
      'Give one such as "com.google.guava:guava".',
    );
  }
  if (version === undefined || !isCoordinate(version)) {
    throw packageFault(
      `version: ${JSON.stringify(version ?? "")} isn't an artifact version.`,
      'Give one such as "33.4.0-jre".',
    );
  }
  await using temporary = await temporaryFolder("symposium-maven-");
  const work = temporary.path;
  // Without an own `.mvn` folder, Maven would use one that another user created in a parent folder, such as the temporary folder.
  await mkdir(join(work, ".mvn"));
  const asked = `${group}:${artifact}:${version}:jar:sources`;
  const args = ["-B", "-q", plugin, `-Dartifact=${asked}`, "-Dtransitive=false"];
  const { failure } = await runClient({ command: "mvn", args, cwd: work }, options, signal);
  const home = homedir().replaceAll("\\", "/");
  const { sources } = await new ArtifactStores(new DiskFiles(), { env: options.env, home }).filesOf({
    group,
    artifact,
    version,
  });
  if (failure !== undefined || sources === undefined || !(await stat(sources)).isFile()) {
    throw packageFault(
      `mvn cannot fetch the sources of ${name} ${version}: ${failure ?? "they are not in its local repository"}`,
      "Not every artifact has published sources. Check the artifact and version, and that mvn is installed and can reach its " +
        "repositories.",
    );
  }
  return {
    version,
    folder: sources,
    command: `mvn dependency:get -Dartifact=${asked} -Dtransitive=false (in an empty folder)`,
  };
}
