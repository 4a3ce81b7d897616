// mybot plays L.A.M.A.: ./mybot, with ARENA_URL and ARENA_TOKEN set.
package main

//go:generate mkdir -p contract
//go:generate protoc --go_out=contract --go_opt=paths=source_relative --go-grpc_out=contract --go-grpc_opt=paths=source_relative play.proto

import (
	"context"
	"fmt"
	"log"
	"math/rand"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "mybot/contract"
)

// security says how to connect to an address: grpcs://HOST:PORT has TLS, with ARENA_TLS_CA's roots.
func security(url string) grpc.DialOption {
	if !strings.HasPrefix(url, "grpcs://") {
		return grpc.WithInsecure()
	}
	file := os.Getenv("ARENA_TLS_CA")
	if file == "" {
		return grpc.WithTransportCredentials(credentials.NewTLS(nil))
	}
	trusted, err := credentials.NewClientTLSFromFile(file, "")
	if err != nil {
		log.Fatal(err)
	}
	return grpc.WithTransportCredentials(trusted)
}

func answer(decision *pb.Decision) (choice *pb.Choice) {
	defer func() {
		if failed := recover(); failed != nil {
			log.Print(failed)
			choice = &pb.Choice{Ticket: decision.Ticket, Answer: &pb.Choice_Error{Error: fmt.Sprint(failed)}}
		}
	}()
	return &pb.Choice{Ticket: decision.Ticket, Answer: &pb.Choice_Action{Action: choose(decision.View)}}
}

// session plays until the stream ends; it returns why, and whether another try makes sense.
func session(arena pb.PlayClient, token string) (string, bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stream, err := arena.Connect(metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token))
	if err != nil {
		return ended(err)
	}
	hello := &pb.Hello{Protocol: 1, Games: []string{"lama"}, MaxInFlight: 64, Sdk: "mybot-go/1"}
	hello.Version = os.Getenv("ARENA_BOT_VERSION") // empty: the newest
	// Where sending fails, receiving tells why.
	_ = stream.Send(&pb.BotMessage{Kind: &pb.BotMessage_Hello{Hello: hello}})
	for {
		message, err := stream.Recv()
		if err != nil {
			return ended(err)
		}
		if welcome := message.GetWelcome(); welcome != nil {
			log.Print(welcome.Bot, " is connected.")
		}
		if problem := message.GetProblem(); problem != nil {
			log.Print(problem.Message)
		}
		if closed := message.GetClosed(); closed != nil {
			return closed.Reason, closed.Reconnect
		}
		for _, fault := range message.GetBatch().GetFaults() {
			log.Printf("Fault (%s): %s", fault.Kind, fault.Reason)
		}
		choices := &pb.Choices{}
		for _, decision := range message.GetBatch().GetDecisions() {
			choices.Choices = append(choices.Choices, answer(decision))
		}
		if len(choices.Choices) > 0 {
			_ = stream.Send(&pb.BotMessage{Kind: &pb.BotMessage_Choices{Choices: choices}})
		}
	}
}

func ended(err error) (string, bool) {
	switch status.Code(err) {
	case codes.InvalidArgument, codes.PermissionDenied, codes.Unimplemented, codes.Unauthenticated:
		return status.Convert(err).Message(), false
	}
	return status.Convert(err).Message(), true
}

// isToken tells whether a text can be a token: printable ASCII without spaces.
func isToken(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

func main() {
	token := strings.TrimSpace(os.Getenv("ARENA_TOKEN"))
	if !isToken(token) {
		fmt.Fprintln(os.Stderr, "Error: ARENA_TOKEN is not a token. Copy it from https://arena.example/my/bots")
		os.Exit(2)
	}
	url := os.Getenv("ARENA_URL")
	if url == "" {
		url = "HOST:7420"
	}
	pings := keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 5 * time.Second, PermitWithoutStream: true}
	place := strings.TrimPrefix(strings.TrimPrefix(url, "grpcs://"), "grpc://")
	connection, err := grpc.Dial(place, security(url), grpc.WithKeepaliveParams(pings))
	if err != nil {
		log.Fatal(err)
	}
	arena := pb.NewPlayClient(connection)
	rand.Seed(time.Now().UnixNano())
	for pause := 200 * time.Millisecond; ; pause = 2 * pause {
		began := time.Now()
		reason, again := session(arena, token)
		if !again {
			log.Fatal(reason)
		}
		log.Print(reason, " Trying again.")
		if time.Since(began) > 5*time.Second {
			pause = 200 * time.Millisecond
		}
		if pause > 4*time.Second {
			pause = 4 * time.Second
		}
		// Not all bots of a gateway come back at once.
		time.Sleep(pause/2 + time.Duration(rand.Int63n(int64(pause/2))))
	}
}
