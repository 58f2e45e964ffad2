/** Names of variables, headers and settings whose values are taken for secrets. */
const SECRET = /key|token|secret|passw|credential|auth|cookie|bearer|private/i;

/** True where the name says that its value is nobody's business: such values are never stored (P11). */
export function isSecretName(name: string): boolean {
  return SECRET.test(name);
}
