import { hasEntryNear } from "../../base/node/project-folders.js";
import type { Watchdog } from "../../base/node/watchdog.js";
import type { PackageLibrary } from "../packages/package-library.js";
import type { FolderTrust } from "../../settings/trust/folder-trust.js";
import type { SourcesServices } from "./services.js";

interface SourcesServicesOptions {
  /** Ends what is started here when this process is killed. */
  readonly watchdog: Watchdog | undefined;
  readonly trust: FolderTrust;
  /** Whether agents, who could have written a project's configuration, are held to a sandbox: it is not used then. */
  readonly isConfined?: boolean;
  /** This process's own environment by default. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Entries of folders that have something to ask about, by ecosystem. */
const markers = {
  npm: ["package.json", "node_modules", ".pnp.cjs"],
  go: ["go.mod", "go.work"],
  python: [
    "pyproject.toml",
    "requirements.txt",
    "Pipfile",
    "setup.py",
    "setup.cfg",
    "environment.yml",
    ".venv",
    "venv",
  ],
  jvm: ["pom.xml", "build.gradle", "build.gradle.kts"],
};

/** The packages of this machine, and the clients that fetch more. */
export function sourcesServices({
  watchdog,
  trust,
  isConfined = false,
  env = process.env,
}: SourcesServicesOptions): SourcesServices {
  let opened: Promise<PackageLibrary> | undefined;
  return {
    hasPackages: (folder) => hasEntryNear(folder, Object.values(markers).flat()),
    library() {
      opened ??= import("../packages/node/machine-packages.js").then(({ machinePackages }) => machinePackages(env));
      return opened;
    },
    spelled: (path) => (process.platform === "win32" ? path.replaceAll("\\", "/") : path),
    async fetch({ ecosystem, name, version, folder }, signal) {
      const { fetchPackage } = await import("../packages/node/fetch-package.js");
      // Where nobody trusts the project, its configuration must not say where the user's own credentials go.
      const project = !isConfined && (await trust.isTrusted(folder)) ? folder : undefined;
      // Nor are programs and code of that folder: an agent may have put them there.
      const notFrom = project === undefined ? [folder, process.cwd()] : [];
      return fetchPackage(ecosystem, { name, version, project }, { watchdog, env, notFrom }, signal);
    },
  };
}
