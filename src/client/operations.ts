/**
 * The operations that the client calls, with their types, by the contracts. The package has in this file's place what
 * scripts/clients/ makes of the OpenAPI document, so that it needs neither the daemon nor zod.
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

/** Of the events that a stream and an endpoint hear. */
export type EventData = Pick<DataOfEvents, SentEventName>;

type TypesOf<O extends Operation> = { input: z.input<O['input']>; output: z.output<O['output']> };

/** An agent's, with a route. */
type IsRouted<O extends Operation> = O extends RoutedOperation
  ? 'agent' extends O['audience'][number]
    ? true
    : false
  : false;

type TypesOfContract<C extends Contract> = {
  [K in keyof C as IsRouted<C[K]> extends true ? K : never]: TypesOf<C[K]>;
};

/** What each operation takes and answers, by resource and name; resources without a route are left out. */
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
