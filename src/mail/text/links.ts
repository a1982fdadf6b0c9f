/** Links by which a service wants to be answered: verify, confirm, reset, activate, sign in. Judged by what they are for. */

import { type Anchor, isWebAddress } from '../html/anchors.ts';

const MAX_TEXT = 256 * 1024;
const MAX_LINKS = 20;
/** What is said about a bare link stands right before it. */
const CONTEXT = 120;

/** Words that ask for it, in a label or before a link. */
const ASKED =
  /verif(?!ied|iziert)|confirm(?!ation of|ed your order)|activat|reset|magic|validat|passwordless|one[- ]?time|set[- ]?up your|set (?:a|your)(?: new)? password|choose a(?: new)? password|accept[- ]?(?:the )?invit|join (?:the )?(?:team|workspace)|bestätig|aktivier|zurücksetz|einladung annehmen|passwort (?:ändern|festlegen|vergeben)|confirmer|vérif|activer|réinitialis|valider|accepter l['’]invitation|confirmar|verifi[ck]|activar|ativar|restablecer|redefinir|aceptar (?:la )?invitación|conferma|attiva|reimposta|accetta l['’]invito|bevestig|verifieer|activeer|herstel|opnieuw instellen|bekräfta|verifiera|aktivera|återställ|bekræft|bekreft|nulstil|tilbakestill|vahvista|aktivoi|nollaa|potwierdź|zweryfikuj|aktywuj|zresetuj|doğrula|onayla|etkinleştir|sıfırla|ověř|potvr[dďđ]|aktivovat|obnovit|overi|confirmă|verificați|megerősít|επιβεβαί|επαλήθευ|подтверд|активир|сброс|восстанов|підтверд|xác (?:minh|nhận|thực)|kích hoạt|đặt lại|ยืนยัน|รีเซ็ต|verifikasi|konfirmasi|aktifkan|تأكيد|تحقق|تفعيل|إعادة تعيين|אימות|אמת|אשר|איפוס|सत्यापित|पुष्टि|रीसेट|确认|验证|激活|重置|確認|驗證|啟用|重設|認証|有効化|再設定|リセット|인증|확인하기|활성화|재설정/iu;
/** Words that ask for it only with a link that proves who follows it: else they lead to a page for everybody. */
const ASKED_BY_SECRET =
  /sign[- ]?in|log[- ]?in|password|anmeld|einloggen|passwort|connexion|se connecter|mot de passe|iniciar sesión|contraseña|entrar|senha|accedi|password|inloggen|wachtwoord|logga in|lösenord|log ind|logg inn|kirjaudu|salasana|zaloguj|hasło|oturum aç|giriş yap|şifre|přihlás|heslo|войти|пароль|đăng nhập|เข้าสู่ระบบ|masuk|تسجيل الدخول|התחבר|लॉग ?इन|登录|登入|ログイン|サインイン|로그인|invitation|einladung|invito|convite/iu;
const UNWANTED =
  /unsubscribe|abmelden|désabonn|désinscri|desuscrib|cancelar (?:la )?suscripción|disiscri|afmelden|avprenumerera|preferences|einstellungen|privacy|datenschutz|confidentialité|privacidad|terms|agb\b|help[- ]?cent|support\b|view[- ]?(?:it )?in[- ]?(?:your )?browser|im browser|opt[- ]?out|配信停止|退订/iu;
const ORDER =
  /order|purchase|booking|reservation|shipment|bestell|buchung|commande|réservation|pedido|compra|reserva|ordine|prenotazione|sipariş|注文|予約|订单|주문/iu;

/** Steps of a path, and parameters, that say so for themselves. */
const PURPOSE =
  /(?:^|[/_.-])(?:verif(?:y|ication|ier|izieren|icar)?|(?:e-?mail|account|user)?[-_]?confirm|activat(?:e|ion)|reset|magic|magic-?link|validat(?:e|ion)|passwordless|one-?time|accept-?invit\w*|invit(?:e|ations?)\/accept)(?=$|[/_.-])/i;
const PURPOSE_BY_SECRET =
  /(?:^|[/_.-])(?:confirmations?|signin|sign-in|login|log-in|password|auth(?:enticate|entication)?|invitations?|invites?|session)(?=$|[/_.-])/i;
const MAILING = /unsub|opt-?out|preferences|privacy|terms/i;
const SECRET_NAME =
  /^(?:token|code|key|otp|t|k|c|sig|signature|hash|secret|ticket|oob_?code|\w+_token|\w+_code|\w+token|upn|data|jwt)$/i;
/** A value that is nobody's to guess. */
const SECRET_VALUE = /^(?=.*\d)[\w.~%+=-]{16,}$/;

const ADDRESS = /https?:\/\/\S+|[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/gi;
const TEXT_URL = /https?:\/\/[^\s<>"'`\\^{|}\])]{1,2048}/gi;
const TAIL = /[.,;:!?*_~]+$/;

const hasSecret = ({ pathname, searchParams }: URL): boolean =>
  pathname.split('/').some((step) => SECRET_VALUE.test(step)) ||
  [...searchParams].some(
    ([name, value]) =>
      !name.startsWith('utm_') && (SECRET_VALUE.test(value) || (SECRET_NAME.test(name) && value.length >= 3)),
  );

/** What a link does, by the parameters that name an act. */
const actsOf = ({ searchParams }: URL): string =>
  [...searchParams]
    .filter(([name]) => /^(?:mode|action|act|do|type|op|intent|task|page|flow)$/i.test(name))
    .map(([, value]) => value.replace(/([a-z])([A-Z])/g, '$1-$2'))
    .join('/');

const isWanted = (address: string, said: string): boolean => {
  const url = new URL(address);
  // A host, in the link or shown as its label, says whose it is and not what for.
  const words = said.replace(ADDRESS, ' ').replace(/\s+/g, ' ');
  if (UNWANTED.test(words) || MAILING.test(url.pathname)) return false;
  if (ORDER.test(words)) return false;
  if (ASKED.test(words)) return true;
  const path = `${url.pathname}/${actsOf(url)}`;
  if (PURPOSE.test(path) && !ORDER.test(url.pathname)) return true;
  const mayAsk = ASKED_BY_SECRET.test(words) || (PURPOSE_BY_SECRET.test(path) && !ORDER.test(url.pathname));
  return mayAsk && hasSecret(url);
};

const asUrl = (text: string): string | null => (isWebAddress(text) && URL.canParse(text) ? text : null);

/**
 * Links that ask to verify, confirm, reset, activate or sign in: said by their label, their path or the words before them.
 * @param anchors of the HTML
 * @returns http and https only, each once, at most 20, those of the HTML first
 */
export const findLinks = (texts: readonly string[], anchors: readonly Anchor[]): string[] => {
  const links = new Set<string>();
  for (const { href, label } of anchors) {
    const url = asUrl(href);
    if (url !== null && isWanted(url, label)) links.add(url);
  }
  for (const text of texts) {
    const plain = text.slice(0, MAX_TEXT);
    let behind = 0;
    for (const { index, 0: written } of plain.matchAll(TEXT_URL)) {
      const url = asUrl(written.replace(TAIL, ''));
      // An address that was shortened leads nowhere; it came from an anchor.
      const isWhole = url !== null && !url.endsWith('/…');
      if (isWhole && isWanted(url, saidBefore(plain, behind, index))) links.add(url);
      behind = index + written.length;
      if (links.size >= MAX_LINKS) break;
    }
  }
  return [...links].slice(0, MAX_LINKS);
};

/** The last paragraph before a link, as far as it reaches back. */
const saidBefore = (text: string, from: number, link: number): string => {
  const said = text.slice(Math.max(from, link - CONTEXT), link);
  const lines = said.trimEnd().split(/\n\s*\n/);
  return lines.at(-1) ?? '';
};
