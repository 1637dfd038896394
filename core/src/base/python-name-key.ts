/** Normalizes a distribution name as Python indexes do (PEP 503): `Ruamel_YAML` becomes `ruamel-yaml`. */
export function pythonNameKey(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, "-");
}
