import { SourcesStage } from "./sources-stage.js";

/** A distribution as an installer leaves it. */
export interface Installed {
  readonly name: string;
  readonly version: string;
  /** Of its RECORD; those that end in `.py` are there, too. */
  readonly files: readonly string[];
  readonly top?: string;
}

const windows = process.platform === "win32";
/** Folder of an environment's installed packages. */
export const sitePath = windows ? "Lib/site-packages" : "lib/python3.11/site-packages";

/** Of this machine, nothing is to count. */
const quietEnvironment = {
  HOME: "/stage/home",
  USERPROFILE: "/stage/home",
  PATH: "/stage/bin",
  VIRTUAL_ENV: "",
  CONDA_PREFIX: "",
  UV_PROJECT_ENVIRONMENT: "",
  WORKON_HOME: "/stage/home/virtualenvs",
  POETRY_VIRTUALENVS_PATH: "/stage/home/poetry",
};

/** The files of an environment in a folder. */
export function environmentIn(
  folder: string,
  installed: Readonly<Record<string, Installed>>,
  sources: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const site = `${folder}/${sitePath}`;
  const files: Record<string, string> = {
    [`${folder}/pyvenv.cfg`]: "home = /stage/base/bin\nversion_info = 3.11.7\n",
    [`${site}/readme.txt`]: "",
  };
  for (const [info, { name, version, files: recorded, top }] of Object.entries(installed)) {
    files[`${site}/${info}/METADATA`] = `Metadata-Version: 2.4\nName: ${name}\nVersion: ${version}\n\n# ${name}\n`;
    files[`${site}/${info}/RECORD`] = `${recorded.map((file) => `${file},sha256=x,1`).join("\n")}\n${info}/RECORD,,\n`;
    files[`${site}/${info}/INSTALLER`] = "uv\n";
    if (top !== undefined) files[`${site}/${info}/top_level.txt`] = top;
    for (const file of recorded) if (file.endsWith(".py") && !file.startsWith("..")) files[`${site}/${file}`] = "";
  }
  for (const [file, text] of Object.entries(sources)) files[`${site}/${file}`] = text;
  return files;
}

export function openPython(files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  return SourcesStage.open(files, { ...quietEnvironment, ...env });
}
