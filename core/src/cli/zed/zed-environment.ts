const kept = [
  ...["HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "LC_ALL", "TMPDIR", "DISPLAY", "WAYLAND_DISPLAY"],
  ...["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"],
];
const keptOnWindows = [
  ...["PATH", "PATHEXT", "SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "WINDIR", "TEMP", "TMP"],
  ...["USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES"],
];

/** What a Zed that was started from the desktop has to pass on: nothing that only a terminal or a project sets. */
export function zedEnvironment(env: NodeJS.ProcessEnv, platform: string): NodeJS.ProcessEnv {
  const names = new Set(platform === "win32" ? keptOnWindows : kept);
  const isKept = (name: string): boolean => names.has(platform === "win32" ? name.toUpperCase() : name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => isKept(name)));
}
