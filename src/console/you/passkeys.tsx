export const Passkeys = () => null;
