import { type Machine, pathVariable, programPlace } from "../machine.js";
import { joined, type PackageFiles, parentOf } from "../package-files.js";

/** The JDK that a shell would use, and where its sources should be. */
interface Jdk {
  readonly home: string;
  readonly version: string;
  /** Absolute; undefined where it is not there, or a link that leads nowhere. */
  readonly sources?: string;
}

/** Java's own sources: `lib/src.zip` of the JDK, which many packages of systems leave out. */
export class JdkSources {
  #jdk: Promise<Jdk | undefined> | undefined;

  constructor(
    private readonly files: PackageFiles,
    private readonly machine: Machine,
  ) {}

  /** JAVA_HOME's, else the one of `java` on the PATH. */
  jdk(): Promise<Jdk | undefined> {
    this.#jdk ??= this.#find();
    return this.#jdk;
  }

  /** The folder, in the archive, of the module that has a file or folder of that path; empty before Java 9. */
  async moduleOf(sources: string, path: string): Promise<string | undefined> {
    const has = async (place: string): Promise<boolean> =>
      (await this.files.stamp(joined(sources, place))) !== undefined;
    const modules = (await this.files.list(sources)).map(({ name }) => name);
    for (const module of ["java.base", ...modules.filter((name) => name.includes("."))]) {
      if (await has(`${module}/${path}`)) return module;
    }
    return (await has(path)) ? "" : undefined;
  }

  async #find(): Promise<Jdk | undefined> {
    const program = await programPlace(this.files, this.machine, "java");
    const real = program && (await this.files.realPath(program));
    const homes = [pathVariable(this.machine, "JAVA_HOME"), real && parentOf(parentOf(real))];
    for (const home of homes) {
      if (home === undefined) continue;
      const release = await this.files.read(joined(home, "release"));
      const version = /^JAVA_VERSION="([^"]+)"/m.exec(release ?? "")?.[1];
      if (version === undefined) continue;
      for (const place of ["lib/src.zip", "src.zip"]) {
        const sources = joined(home, place);
        if (await this.files.isFile(sources)) return { home, version, sources };
      }
      return { home, version };
    }
    return undefined;
  }
}
