/** Declares the internal modules that mailauth's own types leave out. */

declare module 'mailauth/lib/dkim/dkim-verifier.js' {
  import type { ARCData, DKIMResult, DNSResolver } from 'mailauth';
  import type { PublicKeyLookup } from 'mailauth/lib/tools.js';

  export class DkimVerifier {
    constructor(options: { resolver: DNSResolver; strict: boolean; curTime: Date });
    readonly results: DKIMResult[];
    readonly arc: ARCData & { keyCache: PublicKeyLookup };
    keyCache: PublicKeyLookup;
    /** By `canonicalisation:algorithm:length`; filled by `emitHeaders`. */
    readonly bodyHashes: Map<string, { update(octets: Buffer): void }>;
    emitHeaders(section: Buffer): Promise<void>;
    finalChunk(): Promise<void>;
  }
}

declare module 'mailauth/lib/tools.js' {
  import type { KeyObject } from 'node:crypto';
  import type { DNSResolver } from 'mailauth';

  export interface PublicKeyOptions {
    strict?: boolean;
    hashAlgo?: string;
  }

  export interface PublicKeyRecord {
    publicKey: string | KeyObject;
    rr: string;
    modulusLength: number | undefined;
    keyType: string;
    flags: string[];
    testing: boolean;
    warnings: string[];
  }

  export interface PublicKeyLookup {
    resolver: DNSResolver;
    get(type: string, name: string, minBits: number | undefined, options?: PublicKeyOptions): Promise<PublicKeyRecord>;
  }

  export function getPublicKey(
    type: string,
    name: string,
    minBits: number | undefined,
    resolver: DNSResolver,
    options?: PublicKeyOptions,
  ): Promise<PublicKeyRecord>;
}
