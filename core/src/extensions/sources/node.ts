import { hasEntryNear } from "../../base/node/project-folders.js";
import type { Watchdog } from "../../base/node/orphan-watchdog.js";
import type { PackageLibrary } from "../packages/package-library.js";
import type { FolderTrust } from "../../settings/trust/folder-trust.js";
import type { SourcesServices } from "./services.js";

interface SourcesServicesOptions {
  /** Ends the started processes if this process is killed. */
  readonly watchdog: Watchdog | undefined;
  readonly trust: FolderTrust;
  /** Whether agents are sandboxed. If so, a project's configuration isn't used, since an agent could have written it. */
  readonly isConfined?: boolean;
  /** Environment variables; defaults to this process's environment. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Files and folders that mark a project's folder, by ecosystem. */
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

/** Creates the services that find packages on this machine and download packages with the user's package clients. */
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
      // Ignore the configuration of an untrusted project, since it could decide where the user's credentials are sent.
      const project = !isConfined && (await trust.isTrusted(folder)) ? folder : undefined;
      // Don't run programs or code from an untrusted project's folder either, since an agent may have put them there.
      const notFrom = project === undefined ? [folder, process.cwd()] : [];
      return fetchPackage(ecosystem, { name, version, project }, { watchdog, env, notFrom }, signal);
    },
  };
}
