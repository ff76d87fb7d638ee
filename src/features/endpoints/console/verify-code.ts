/** Functions that verify a delivery, by language: those of `docs/clients/receivers.md`, which a test runs. */
export const VERIFY_CODE = [
  [
    "JavaScript",
    `import { createHmac, timingSafeEqual } from "node:crypto";

export function verify(secret, headers, body) {
  const [id, at] = [headers["webhook-id"], headers["webhook-timestamp"]];
  const isFresh = Math.abs(Date.now() / 1000 - Number(at)) <= 300;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const expected = Buffer.from(\`v1,\${createHmac("sha256", key).update(\`\${id}.\${at}.\${body}\`).digest("base64")}\`);
  const isRight = (one) => one.length === expected.length && timingSafeEqual(one, expected);
  const signatures = (headers["webhook-signature"] ?? "").split(" ").map((one) => Buffer.from(one));
  return isFresh && signatures.some(isRight);
}
`,
  ],
  [
    "Python",
    `import base64
import hashlib
import hmac
import time


def verify(secret: str, headers: dict[str, str], body: bytes) -> bool:
    at = headers.get("webhook-timestamp", "")
    if not at.isdecimal() or abs(time.time() - int(at)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers.get('webhook-id', '')}.{at}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    given = headers.get("webhook-signature", "").split()
    return any(hmac.compare_digest(one.encode(), expected) for one in given)
`,
  ],
  [
    "Go",
    `package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

func Verify(secret string, header http.Header, body []byte) bool {
	at := header.Get("webhook-timestamp")
	sent, err := strconv.ParseInt(at, 10, 64)
	if err != nil || time.Since(time.Unix(sent, 0)).Abs() > 5*time.Minute {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(header.Get("webhook-id") + "." + at + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, one := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(one), []byte(expected)) {
			return true
		}
	}
	return false
}
`,
  ],
  [
    "Ruby",
    `require "openssl"

def verify(secret, headers, body)
  at = headers["webhook-timestamp"].to_s
  return false unless at.match?(/\\A\\d+\\z/) && (Time.now.to_i - at.to_i).abs <= 300

  key = secret.delete_prefix("whsec_").unpack1("m0")
  signed = "#{headers["webhook-id"]}.#{at}.".b + body.b
  expected = "v1," + [OpenSSL::HMAC.digest("sha256", key, signed)].pack("m0")
  headers["webhook-signature"].to_s.split.any? { |one| OpenSSL.secure_compare(one, expected) }
end
`,
  ],
  [
    "PHP",
    `function verify(string $secret, array $headers, string $body): bool
{
    $at = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($at) || abs(time() - (int) $at) > 300) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
    $signed = ($headers['webhook-id'] ?? '') . '.' . $at . '.' . $body;
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $one) {
        if (hash_equals($expected, $one)) {
            return true;
        }
    }
    return false;
}
`,
  ],
] as const;
