/** Types of the used part of sodium-native, which ships none. Buffers are filled in place. */
declare module 'sodium-native' {
  interface Sodium {
    readonly crypto_aead_xchacha20poly1305_ietf_ABYTES: number;
    readonly crypto_aead_xchacha20poly1305_ietf_KEYBYTES: number;
    readonly crypto_aead_xchacha20poly1305_ietf_NPUBBYTES: number;
    /** @returns the length written to `ciphertext`: the message's plus ABYTES */
    crypto_aead_xchacha20poly1305_ietf_encrypt(
      ciphertext: Buffer,
      message: Buffer,
      additionalData: Buffer | null,
      secretNonce: null,
      nonce: Buffer,
      key: Buffer,
    ): number;
    /** @throws where the ciphertext, the additional data, the nonce or the key differs from the encryption's */
    crypto_aead_xchacha20poly1305_ietf_decrypt(
      message: Buffer,
      secretNonce: null,
      ciphertext: Buffer,
      additionalData: Buffer | null,
      nonce: Buffer,
      key: Buffer,
    ): number;
    crypto_generichash(output: Buffer, input: Buffer, key?: Buffer): void;
    randombytes_buf(output: Buffer): void;
    sodium_memzero(buffer: Buffer): void;
    /** Guarded memory: mlock, guard pages, no core dump. */
    sodium_malloc(size: number): Buffer;
    /** Wipes and frees it; its buffer is detached. Does nothing to other buffers. */
    sodium_free(buffer: Buffer): void;
  }
  const sodium: Sodium;
  export default sodium;
}
