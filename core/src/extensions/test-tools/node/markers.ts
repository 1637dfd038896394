/** Files by which Gradle builds a folder. */
export const gradleFiles: readonly string[] = [
  "build.gradle",
  "build.gradle.kts",
  "settings.gradle",
  "settings.gradle.kts",
];
/** What makes a folder one of Python, where nothing but these is in it. */
export const pythonMarkers: readonly string[] = ["pyproject.toml", "pytest.ini", "conftest.py", "tox.ini", "setup.cfg"];
/** Files by which a folder is a project with tests or checks. */
export const markers: readonly string[] = [
  ...["package.json", "go.mod", "bunfig.toml", "compile_commands.json", "pom.xml"],
  ...pythonMarkers,
  ...gradleFiles,
];
