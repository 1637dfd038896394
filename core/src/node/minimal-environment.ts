/** Names of variables that say who the user is and where the system lies; none of them makes a program load code. */
const allowed = new Set([
  ...["PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TMPDIR", "TEMP", "TMP", "XDG_CONFIG_HOME"],
  ...["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH"],
  ...["APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)"],
]);

/**
 * Returns an environment for a program that runs outside of the sandbox because of an agent. It starts empty and gets the variables
 * above, so that none such as `PYTHONPATH` or `NODE_OPTIONS` leads the program to code in a folder where agents write. `more` names further ones.
 */
export function minimalEnvironment(env: NodeJS.ProcessEnv, more: readonly string[] = []): NodeJS.ProcessEnv {
  const names = new Set([...allowed, ...more]);
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => names.has(process.platform === "win32" ? name.toUpperCase() : name)),
  );
}
