import { hasEntryNear } from "../../base/node/project-folders.js";
import type { Watchdog } from "../../base/node/orphan-watchdog.js";
import type { PackageLibrary } from "../packages/package-library.js";
import type { FolderTrust } from "../../settings/trust/folder-trust.js";
import type { SourcesServices } from "./services.js";

interface SourcesServicesOptions {
  /** Ends the started processes if this process is killed. */
  readonly watchdog: Watchdog | undefined;
  readonly trust: FolderTrust;
  /** Whether agents are sandboxed. A project's configuration isn't used then, since an agent could have written it. */
  readonly isConfined?: boolean;
  /** Default: this process's environment. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Entries that mark a project's folder, by ecosystem. */
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

/** Finds this machine's packages and downloads more with the user's clients. */
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
      // In an untrusted project, its configuration must not decide where the user's credentials are sent.
      const project = !isConfined && (await trust.isTrusted(folder)) ? folder : undefined;
      // Programs and code from that folder aren't run either, since an agent may have put them there.
      const notFrom = project === undefined ? [folder, process.cwd()] : [];
      return fetchPackage(ecosystem, { name, version, project }, { watchdog, env, notFrom }, signal);
    },
  };
}
