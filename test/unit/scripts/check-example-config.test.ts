import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import t from 'tap';
import { exampleProblems } from '../../../scripts/check-example-config.ts';

const example = readFileSync(resolve(import.meta.dirname, '../../../config/postroom.example.toml'), 'utf8');

t.same(exampleProblems(example), [], 'the example as it stands');
t.same(exampleProblems(example.replace('dnsbl = []\n', '')), ['scan.dnsbl is missing from the example']);
t.same(exampleProblems(example.replace('port = 25\n', 'port = 26\n')), ['outbound.port does not show its default']);
t.same(exampleProblems(example.replace(/# The port dialled.*\n/, '\n')), ['outbound.port is not explained']);
t.match(exampleProblems(`${example}\ncolour = "red"\n`), [/plans\.colour: no such key/]);
