import base64, hmac, json, os, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["PUSH_SECRET"][len("whsec_") :])


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        id, sent = self.headers.get("webhook-id"), self.headers.get("webhook-timestamp")
        signed = f"{id}.{sent}.".encode() + body
        right = b"v1," + base64.b64encode(hmac.digest(KEY, signed, "sha256"))
        given = self.headers.get("webhook-signature", "").encode().split()
        is_genuine = any(hmac.compare_digest(right, one) for one in given)
        if not is_genuine or abs(time.time() - int(sent)) > 300:
            return self.send_error(401)
        task = json.loads(body)
        result = json.dumps({"sent": True, "to": task["body"]["to"]}).encode()  # the work
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(result)))
        self.end_headers()
        self.wfile.write(result)


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
print(f"ready port={server.server_port}", flush=True)
server.serve_forever()
