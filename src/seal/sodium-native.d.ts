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
    /** @throws where the ciphertext, the additional data, the nonce or the key differs from the encryption */
    crypto_aead_xchacha20poly1305_ietf_decrypt(
      message: Buffer,
      secretNonce: null,
      ciphertext: Buffer,
      additionalData: Buffer | null,
      nonce: Buffer,
      key: Buffer,
    ): number;
    readonly crypto_pwhash_ALG_ARGON2ID13: number;
    readonly crypto_pwhash_MEMLIMIT_MODERATE: number;
    readonly crypto_pwhash_OPSLIMIT_MODERATE: number;
    readonly crypto_pwhash_SALTBYTES: number;
    crypto_pwhash(
      output: Buffer,
      password: Buffer,
      salt: Buffer,
      operations: number,
      memory: number,
      algorithm: number,
    ): void;
    readonly crypto_secretstream_xchacha20poly1305_ABYTES: number;
    readonly crypto_secretstream_xchacha20poly1305_HEADERBYTES: number;
    readonly crypto_secretstream_xchacha20poly1305_KEYBYTES: number;
    readonly crypto_secretstream_xchacha20poly1305_STATEBYTES: number;
    readonly crypto_secretstream_xchacha20poly1305_TAG_FINAL: number;
    crypto_secretstream_xchacha20poly1305_init_push(state: Buffer, header: Buffer, key: Buffer): void;
    crypto_secretstream_xchacha20poly1305_push(
      state: Buffer,
      ciphertext: Buffer,
      message: Buffer,
      additionalData: Buffer | null,
      tag: number,
    ): number;
    crypto_secretstream_xchacha20poly1305_init_pull(state: Buffer, header: Buffer, key: Buffer): void;
    /** @throws where the ciphertext or the key is another */
    crypto_secretstream_xchacha20poly1305_pull(
      state: Buffer,
      message: Buffer,
      tag: Buffer,
      ciphertext: Buffer,
      additionalData: Buffer | null,
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
