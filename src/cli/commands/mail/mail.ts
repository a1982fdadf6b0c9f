/** `postroom mail` */

import { exportMail } from './export-mail.ts';
import { importMail } from './import-mail.ts';

export const mailCommands = [exportMail, importMail];
