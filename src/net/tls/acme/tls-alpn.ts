/**
 * Answers tls-alpn-01 challenges (RFC 8737) on a listener's own port. While a challenge is open, a connection that
 * offers `acme-tls/1` gets the challenge's certificate; all others pass unchanged.
 */

import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext, type Server, TLSSocket } from 'node:tls';
import { type Millis, SECOND } from '../../../kernel/clock.ts';
import type { Challenge, ChallengeResponder } from './challenge.ts';

const PROTOCOL = 'acme-tls/1';
/** The protocol's name with its length, as in the ALPN extension (RFC 7301 section 3.1). */
const OFFERED = Buffer.from(`\x0a${PROTOCOL}`);
/** A TLS record (RFC 8446 section 5.1) has a header of 5 octets and up to 2^14 octets. */
const RECORD_HEADER = 5;
const MAX_RECORD = RECORD_HEADER + 16_384;
const MAX_WAIT_MS = 10 * SECOND;

export interface TlsAlpn extends ChallengeResponder {
  /** Has the listener answer challenges beside its own connections. */
  attach(server: Server): void;
}

/** @param waitMs for a client's first record, and for the handshake of a challenge */
export const createTlsAlpn = (waitMs: Millis = MAX_WAIT_MS): TlsAlpn => {
  const contexts = new Map<string, SecureContext>();

  const show = (socket: Socket): void => {
    const secured = new TLSSocket(socket, {
      isServer: true,
      ALPNProtocols: [PROTOCOL],
      SNICallback: (name, callback) => {
        const context = contexts.get(name.toLowerCase());
        callback(context ? null : new Error('no challenge is open for this name'), context);
      },
    });
    secured.on('error', () => secured.destroy());
    secured.once('secure', () => secured.end());
    // No listener knows the connection, so that none would end it.
    const timer = setTimeout(() => secured.destroy(), waitMs);
    secured.once('close', () => clearTimeout(timer));
  };

  /** Hands the socket on once its first record is whole, with all octets still to be read. */
  const divert = (socket: Socket, accept: (socket: Socket) => void): void => {
    let seen = Buffer.alloc(0);
    const end = (): void => {
      socket.off('readable', look).off('error', giveUp).off('end', giveUp);
      clearTimeout(timer);
    };
    const giveUp = (): void => {
      end();
      socket.destroy();
    };
    const look = (): void => {
      const chunk = socket.read() as Buffer | null;
      if (chunk === null) return;
      seen = Buffer.concat([seen, chunk]);
      const wanted = seen.length < RECORD_HEADER ? RECORD_HEADER : RECORD_HEADER + seen.readUInt16BE(3);
      if (seen.length < Math.min(wanted, MAX_RECORD)) return;
      end();
      socket.unshift(seen);
      if (seen.includes(OFFERED)) show(socket);
      else accept(socket);
    };
    const timer = setTimeout(giveUp, waitMs);
    socket.on('readable', look).once('error', giveUp).once('end', giveUp);
  };

  return {
    answer: async ({ name, keyAuthorization }: Challenge) => {
      const { default: acme } = await import('acme-client');
      type Authorization = Parameters<typeof acme.crypto.createAlpnCertificate>[0];
      const authorization = { identifier: { type: 'dns', value: name } } as Authorization;
      const [key, cert] = await acme.crypto.createAlpnCertificate(authorization, keyAuthorization);
      contexts.set(name, createSecureContext({ cert, key }));
    },
    withdraw: ({ name }) => void contexts.delete(name),
    attach: (server) => {
      const listeners = server.listeners('connection') as ((socket: Socket) => void)[];
      server.removeAllListeners('connection');
      const accept = (socket: Socket): void => {
        for (const listener of listeners) listener.call(server, socket);
      };
      server.on('connection', (socket: Socket) => (contexts.size === 0 ? accept(socket) : divert(socket, accept)));
    },
  };
};
