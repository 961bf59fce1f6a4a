package datasets

import (
	"context"
	"net"
	"net/http"
	"time"
)

// Waits of a download.
const (
	firstPause = time.Second // after one failure; twice as long after each further one
	silence    = time.Minute // without a byte ends a connection
)

// client returns a client that gives up on connections without a byte for long.
func client() *http.Client {
	dialer := &net.Dialer{Timeout: silence}
	return &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return patient{conn}, nil
		},
		ForceAttemptHTTP2: true, TLSHandshakeTimeout: silence, DisableKeepAlives: true,
	}}
}

// A patient connection fails when it is silent for long.
type patient struct{ net.Conn }

// Read waits for bytes, but not for ever.
func (p patient) Read(b []byte) (int, error) {
	if err := p.SetReadDeadline(time.Now().Add(silence)); err != nil {
		return 0, err
	}
	return p.Conn.Read(b)
}

// Pause waits after failures, the longer the more there were in a row.
func Pause(ctx context.Context, failures int) error {
	select {
	case <-time.After(firstPause << (failures - 1)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
