/**
 * The operations of the client, with their types from the contracts. The package replaces this file by one that
 * scripts/clients/ makes from the OpenAPI document, so that it needs neither the daemon nor zod.
 */

import type { z } from 'zod';
import type { EventData as DataOfEvents, SentEventName } from '../kernel/events.ts';
import {
  bytesReply,
  type Contract,
  hasBody,
  isRouted,
  type Operation,
  type RoutedOperation,
} from '../kernel/operation.ts';
import { contracts } from '../resources/contracts.ts';
import type { Route } from './call.ts';

/** The data of events that streams and endpoints receive. */
export type EventData = Pick<DataOfEvents, SentEventName>;

type TypesOf<O extends Operation> = { input: z.input<O['input']>; output: z.output<O['output']> };

/** An agent's operation with a route. */
type IsRouted<O extends Operation> = O extends RoutedOperation
  ? 'agent' extends O['audience'][number]
    ? true
    : false
  : false;

type TypesOfContract<C extends Contract> = {
  [K in keyof C as IsRouted<C[K]> extends true ? K : never]: TypesOf<C[K]>;
};

/** The input and output of each operation, by resource and name; resources without a route are left out. */
export type Operations = {
  [N in keyof typeof contracts as keyof TypesOfContract<(typeof contracts)[N]> extends never
    ? never
    : N]: TypesOfContract<(typeof contracts)[N]>;
};

export type SignUp = TypesOf<typeof contracts.signup.signUp>;

const toRoute = (operation: RoutedOperation): Route => ({
  method: operation.method,
  path: operation.path,
  query: operation.query ?? [],
  hasBody: hasBody(operation),
  isIdempotent: operation.idempotent === true,
  isBytes: operation.output === bytesReply,
});

const isAgents = (operation: Operation): operation is RoutedOperation =>
  isRouted(operation) && operation.audience.includes('agent');

const toRoutes = (contract: Contract): Record<string, Route> =>
  Object.fromEntries(
    Object.entries(contract).flatMap(([name, each]) => (isAgents(each) ? [[name, toRoute(each)]] : [])),
  );

export const routes: Readonly<Record<string, Readonly<Record<string, Route>>>> = Object.fromEntries(
  Object.entries<Contract>(contracts).map(([name, contract]) => [name, toRoutes(contract)]),
);

export const signUpRoute: Route = toRoute(contracts.signup.signUp);
